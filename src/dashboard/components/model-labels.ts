import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.js';

/** The labels of the chat models that can be called. */
export const useModelLabels = (): readonly string[] => {
  const { data } = useQuery({
    queryKey: ['model-labels'],
    queryFn: () => dataOf(api.GET('/v1/models')),
    staleTime: 60_000,
  });
  // aliases and `auto` have no slash, and stand for models
  return data?.data.flatMap(({ id }) => (id.includes('/') ? [id] : [])) ?? [];
};
