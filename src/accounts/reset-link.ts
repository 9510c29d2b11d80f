import type { Store } from '../store/contracts/store.js';
import { hashToken, newToken } from './tokens.js';

/** What opens an account to whoever chooses a new password with it, once. */
export interface ResetLink {
  /** Kept nowhere but by its hash. */
  readonly token: string;
  /** Ms since 1970. */
  readonly expiresAt: number;
}

/** Issues a link; those issued to the account before stay good until one of them is used. */
export async function issueResetLink(
  { signIns }: Pick<Store, 'signIns'>,
  accountId: string,
  expiresAt: number,
): Promise<ResetLink> {
  const token = newToken();
  await signIns.addReset({ tokenHash: hashToken(token), accountId, expiresAt });
  return { token, expiresAt };
}

/** The page for a new password. Browsers send nobody what stands behind the `#`, so no proxy's log holds the token. @param publicUrl where people reach the gateway */
export const resetUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}/reset-password#token=${token}`;
