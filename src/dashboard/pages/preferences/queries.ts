import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { api, basePath, changeHeaders, dataOf, send } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { isMissing } from '../../api/failure.js';
import { read } from '../../api/queries.js';
import { type Draft, hasNoWeight, settingsOf } from './settings.js';

const pollMs = 1_000;

/**
 * The last training of a preference, null where there was none. Asked again while it runs.
 * @param isTrained as the preference says: a browser would log a 404 as an error
 */
export const useTraining = (id: string, isTrained: boolean) =>
  useQuery({
    queryKey: ['trainings', id, isTrained],
    queryFn: () => {
      if (!isTrained) return null;
      return read('/api/v1/preferences/{id}/training', { path: { id } }).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
    },
    refetchInterval: ({ state }) => (isUnderWay(state.data ?? null) ? pollMs : false),
  });

/** The colours that stand for the states of a training. */
export const trainingColors: Readonly<Record<Schema<'TrainingResponse'>['state'], string>> = {
  queued: 'gray',
  running: 'blue',
  done: 'green',
  failed: 'red',
  not_useful: 'gray',
};

/** Whether a training waits or runs. */
export const isUnderWay = (training: Schema<'TrainingResponse'> | null): boolean =>
  training?.state === 'queued' || training?.state === 'running';

/** Starts a training from a form. @throws ApiFailure with the line and column that is wrong */
export async function startTraining(id: string, form: FormData): Promise<void> {
  const path = `${basePath}/api/v1/preferences/${encodeURIComponent(id)}/training`;
  await send(path, { method: 'POST', headers: changeHeaders(), body: form });
}

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
      const { items } = await read('/api/v1/requests', { query });
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
