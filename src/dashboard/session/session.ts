import { useQuery, useQueryClient } from '@tanstack/react-query';
import { setCsrfToken } from '../api/client.js';
import type { Schema } from '../api/schema.js';
import { isSignedOut } from '../api/failure.js';
import { read, useRead } from '../api/queries.js';

/** Who is signed in. */
type Session = Schema<'OwnAccountResponse'>;

const sessionKey = ['session'];

/** Asks again now and then, so that a sign-in that ended is seen before the next click. */
const refreshMs = 60_000;

/** How people sign in here, and whether this browser is signed in. */
export const useAuthStatus = () => useRead('/api/v1/auth/status');

async function readSession(): Promise<Session | null> {
  const { signedIn } = await read('/api/v1/auth/status');
  if (!signedIn) return null;
  try {
    const session = await read('/api/v1/auth/account');
    setCsrfToken(session.csrfToken);
    return session;
  } catch (error) {
    if (isSignedOut(error)) return null;
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
  return (scope) => data?.scopes.includes(scope) ?? false;
}

/** Forgets everything that was loaded and reads who is signed in now. */
export function useSessionChange(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    setCsrfToken(null);
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    await queries.refetchQueries({ queryKey: sessionKey });
  };
}
