import { readSessionStorageValue, useSessionStorage } from '@mantine/hooks';

/** A text that its reader types, kept in this tab until it is sent, whatever is loaded anew. */
export const useDraft = (name: string) =>
  useSessionStorage({ key: `signalbox-${name}`, defaultValue: '', getInitialValueInEffect: false });

const reloadKey = 'signalbox-unloaded';

/** Keeps what a page shows at this address, in this tab, until the page is loaded anew; null: nothing. */
export function keepForReload(shown: object | null): void {
  try {
    if (shown === null) sessionStorage.removeItem(reloadKey);
    else sessionStorage.setItem(reloadKey, JSON.stringify({ address: location.href, shown }));
  } catch {
    // what has no room is not kept
  }
}

/** What was kept of the page at this address; null: nothing. */
export function readKeptForReload(): unknown {
  const kept = readSessionStorageValue<{ address: string; shown: unknown } | null>({
    key: reloadKey,
    defaultValue: null,
  });
  return kept?.address === location.href ? kept.shown : null;
}

const ownerKey = 'signalbox-drafts-of';

/** Forgets the drafts in this tab where they are another account's. */
export function keepDraftsOf(accountId: string): void {
  if (readSessionStorageValue({ key: ownerKey }) === accountId) return;
  forgetDrafts();
  try {
    sessionStorage.setItem(ownerKey, JSON.stringify(accountId));
  } catch {
    // a browser that keeps nothing has nothing to forget
  }
}

/** Forgets the drafts of who was signed in. */
export function forgetDrafts(): void {
  try {
    sessionStorage.clear();
  } catch {
    // a browser that keeps nothing has nothing to forget
  }
}
