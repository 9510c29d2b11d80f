import {
  type Query,
  type QueryFunctionContext,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { setCsrfToken } from '../api/client.js';
import type { Schema } from '../api/schema.js';
import { isSignedOut } from '../api/failure.js';
import { read, useRead } from '../api/queries.js';
import { forgetDrafts, keepDraftsOf } from '../components/draft.js';

type Session = Schema<'OwnAccountResponse'> & {
  /** The sign-in has ended since: the page stays, and asks for it again. */
  readonly isExpired: boolean;
};

/** Of the query for who is signed in. */
export const sessionKey = ['session'];

/** Whether the browser had a sign-in when the page was loaded; it may have ended. */
export const wasSignedIn = document.documentElement.hasAttribute('data-signed-in');

/** Asks again now and then, so that a sign-in that ended is seen before the next click. */
const refreshMs = 60_000;

/** How people sign in here, and whether this browser is signed in. */
export const useAuthStatus = () => useRead('/api/v1/auth/status');

async function readSession({ client }: QueryFunctionContext): Promise<Session | null> {
  const before = client.getQueryData<Session | null>(sessionKey);
  const ended = before ? { ...before, isExpired: true } : null;
  // a stranger's browser would show the refusal as an error
  if (!wasSignedIn && !(await read('/api/v1/auth/status')).signedIn) return ended;
  try {
    const session = await read('/api/v1/auth/account');
    setCsrfToken(session.csrfToken);
    keepDraftsOf(session.account.id);
    return { ...session, isExpired: false };
  } catch (error) {
    if (isSignedOut(error)) return ended;
    throw error;
  }
}

/** Who is signed in; null if the browser is not. */
export const useSession = () =>
  useQuery({ queryKey: sessionKey, queryFn: readSession, refetchInterval: refreshMs });

/** The account of a page that only signed-in people reach. */
export function useAccount(): Session['account'] {
  const { data } = useSession();
  if (!data) throw new Error('this browser is not signed in');
  return data.account;
}

/** A right of who is signed in. */
export type Scope = Session['scopes'][number];

/** Whether who is signed in may do what needs a scope; users of a host app may lack some. */
export function useMay(): (scope: Scope) => boolean {
  const { data } = useSession();
  return (scope) => data?.scopes.includes(scope) === true;
}

/** All queries but the one for who is signed in. */
const others = { predicate: ({ queryKey }: Query) => queryKey[0] !== sessionKey[0] };

/**
 * Reads who is signed in now. What was loaded for somebody else is forgotten; who signs in again
 * goes on with the page as it is.
 */
export function useSessionChange(): () => Promise<void> {
  const queries = useQueryClient();
  const sessionNow = () => queries.getQueryData<Session | null>(sessionKey);
  return async () => {
    const before = sessionNow();
    setCsrfToken(null);
    await queries.refetchQueries({ queryKey: sessionKey });
    // a page that is already open asks again: a query that was removed would never answer it
    if (before && before.account.id === sessionNow()?.account.id)
      await queries.invalidateQueries(others);
    else await queries.resetQueries(others);
  };
}

/** Loads the page anew after a sign-out: nothing of who was signed in stays in it. */
export function leave(): void {
  forgetDrafts();
  location.reload();
}
