import { useSessionStorage } from '@mantine/hooks';

/**
 * A text that its reader types, kept in this tab until it is sent, also where the page is loaded
 * anew.
 */
export const useDraft = (name: string) =>
  useSessionStorage({ key: `signalbox-${name}`, defaultValue: '', getInitialValueInEffect: false });

/** Forgets the drafts of who was signed in. */
export function forgetDrafts(): void {
  try {
    sessionStorage.clear();
  } catch {
    // a browser that keeps nothing has nothing to forget
  }
}
