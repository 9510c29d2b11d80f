import { useDebouncedCallback } from '@mantine/hooks';
import { type ChangeEvent, useCallback, useState } from 'react';
import { useSearchParams } from 'wouter';

/**
 * The parameters of the address, so that a view can be shared and the browser's back button leads
 * to the view before. The second value changes some of them; null takes one away.
 */
export function useParameters(): [
  Readonly<Record<string, string>>,
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
 * A parameter of the address that a field edits: its value, what its field takes, and the function
 * that takes what is typed. The browser's back button and “clear” replace the text; what is
 * typed reaches the address at once when the field loses focus, or goes away while its page stays.
 */
export function useTyped(name: string) {
  const [{ [name]: value = '' }, change] = useParameters();
  const [{ typed, known }, set] = useState({ typed: value, known: value });
  if (known !== value) set({ typed: typed.trim() === value ? typed : value, known: value });
  const tell = useDebouncedCallback(
    (now: string, page: string) => {
      // each change is a step of the back button
      if (now === typed && now.trim() !== value && page === location.pathname)
        change({ [name]: now.trim() });
    },
    { delay: restMs, flushOnUnmount: true },
  );
  const type = (now: string): void => {
    set({ typed: now, known: value });
    tell(now, location.pathname);
  };
  const onChange = (event: ChangeEvent<HTMLInputElement>): void => type(event.currentTarget.value);
  return { value, type, field: { value: typed, onChange, onBlur: () => tell.flush() } };
}
