import { canonicalName, undatedName } from './model-name.js';

interface ListedModel {
  readonly id: string;
  readonly context_window?: number;
  readonly deprecated?: boolean;
}

/**
 * Finds a model's context length under any provider's name for it: providers differ in what they list, rarely in what a
 * model can read. The longest counts, of names that are the same or differ only in date: a limit that is too short would
 * rule a model out, one that is too long is refused by the provider and the next model answers.
 */
export function indexContextLengths(
  lists: readonly (readonly ListedModel[])[],
): (canonical: string) => number | null {
  const exact = new Map<string, number>();
  const undated = new Map<string, number>();
  const keep = (lengths: Map<string, number>, name: string, length: number): void =>
    void lengths.set(name, Math.max(length, lengths.get(name) ?? 0));
  for (const { id, context_window: length, deprecated } of lists.flat()) {
    if (!length || deprecated) continue;
    const name = canonicalName(id);
    keep(exact, name, length);
    keep(undated, undatedName(name), length);
  }
  return (canonical) => exact.get(canonical) ?? undated.get(undatedName(canonical)) ?? null;
}
