import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useState } from 'react';
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
  return [Object.fromEntries([...search].filter(([, value]) => value !== '')), change];
}

/** How long typing rests before the address says it. In ms. */
const restMs = 300;

/**
 * A parameter of the address that a field edits: its value, the text that the field shows, and the
 * function that takes what is typed. The browser's back button and “clear” replace the text.
 */
export function useTyped(name: string) {
  const [{ [name]: value = '' }, change] = useParameters();
  const [{ typed, known }, set] = useState({ typed: value, known: value });
  if (known !== value) set({ typed: typed.trim() === value ? typed : value, known: value });
  const tell = useDebouncedCallback((now: string) => {
    // each change is a step of the back button
    if (now.trim() !== value) change({ [name]: now.trim() });
  }, restMs);
  const type = (now: string): void => {
    set({ typed: now, known: value });
    tell(now);
  };
  return { value, typed, type };
}
