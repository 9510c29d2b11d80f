import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** What a page shows, as its address says it: `''` is absent. */
export type Parameters = Readonly<Record<string, string>>;

/**
 * The parameters of the address, so that a view can be shared and the browser's back button leads
 * to the view before. The second value changes some of them; null takes one away.
 */
export function useParameters(): [
  Parameters,
  (changes: Readonly<Record<string, string | null>>) => void,
] {
  const [search, setSearch] = useSearchParams();
  const change = useCallback(
    (changes: Readonly<Record<string, string | null>>) =>
      setSearch((before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes))
          if (value === null || value === '') after.delete(name);
          else after.set(name, value);
        return after;
      }),
    [setSearch],
  );
  return [Object.fromEntries(search), change];
}
