import type { Store } from '../store/contracts/store.js';
import { hashToken, newToken } from './tokens.js';

/** A link with which the owner of an account sets a new password, once. */
export interface ResetLink {
  /** Only its hash is stored. */
  readonly token: string;
  /** Ms since 1970. */
  readonly expiresAt: number;
}

/** Issues a link. Earlier links of the account stay valid until one of them is used. */
export async function issueResetLink(
  { signIns }: Pick<Store, 'signIns'>,
  accountId: string,
  expiresAt: number,
): Promise<ResetLink> {
  const token = newToken();
  await signIns.addReset({ tokenHash: hashToken(token), accountId, expiresAt });
  return { token, expiresAt };
}

/**
 * The address of the page for a new password. Browsers do not send what follows the `#`, so the
 * token appears in no proxy's log.
 * @param publicUrl the gateway's public address
 */
export const resetUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}/reset-password#token=${token}`;
