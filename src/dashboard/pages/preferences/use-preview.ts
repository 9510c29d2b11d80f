import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.js';
import { type Draft, hasNoWeight, settingsOf } from './settings.js';

export type Preview = Schema<'PreferencePreviewResponse'>;
export type PreviewItem = Preview['items'][number];

/** How long the sliders rest before their effect is asked for. */
const restMs = 120;
const recentRequests = 30;

/** The ids of the account's latest requests. */
const useRecentIds = () =>
  useQuery({
    queryKey: ['preferences', 'recent-requests'],
    queryFn: async () => {
      const query = { limit: recentRequests, failed: 'false' } as const;
      const { items } = await dataOf(api.GET('/api/v1/requests', { params: { query } }));
      return items.map(({ id }) => id);
    },
    staleTime: 60_000,
  });

/**
 * The effect of a draft on examples and own requests; while a new one is computed, the last one.
 * @param storedId the preference that it is compared with; null: none
 */
export function usePreview(draft: Draft, storedId: string | null) {
  const recent = useRecentIds();
  const [settled] = useDebouncedValue(JSON.stringify(settingsOf(draft)), restMs);
  const requests = recent.data;
  return useQuery({
    queryKey: ['preferences', 'preview', settled, storedId, requests],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/api/v1/preferences/preview', {
          body: {
            preference: JSON.parse(settled) as ReturnType<typeof settingsOf>,
            preference_id: storedId,
            requests: requests ?? [],
            examples: true,
          },
          signal,
        }),
      ),
    enabled: !recent.isPending && !hasNoWeight(draft),
    placeholderData: keepPreviousData,
  });
}
