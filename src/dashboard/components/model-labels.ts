import { useRead } from '../api/queries.js';

/** The labels of the chat models that can be called. */
export const useModelLabels = (): readonly string[] => {
  const { data } = useRead('/v1/models', {}, { staleTime: 60_000 });
  // aliases and `auto` have no slash, and stand for models
  return data?.data.flatMap(({ id }) => (id.includes('/') ? [id] : [])) ?? [];
};
