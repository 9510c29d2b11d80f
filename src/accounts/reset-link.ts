import type { Store } from '../store/contracts/store.js';
import { hashToken, newToken } from './tokens.js';
import type { Mail } from './mailer.js';

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

/**
 * How to use a link. The host of the request is never used: an attacker who requests the mail could
 * choose where its link leads.
 */
function instructions(publicUrl: string | null, { token, expiresAt }: ResetLink): string {
  const until = `It can be used once, until ${new Date(expiresAt).toUTCString()}.`;
  return publicUrl === null
    ? `Enter this code where you sign in, under "new password":\n\n${token}\n\n${until}`
    : `Choose your password here:\n\n${resetUrl(publicUrl, token)}\n\n${until}`;
}

const ifUnexpected = 'If you did not request this, you can ignore this mail.';

/** For an address that has signed up: its link sets the first password. */
export const welcomeMail = (to: string, publicUrl: string | null, link: ResetLink): Mail => ({
  to,
  subject: 'Your Signalbox account',
  text: `Someone signed up at Signalbox with this address.\n\n${instructions(publicUrl, link)}\n\n${ifUnexpected}\n`,
});

/** For an address that has signed up although it has an account. */
export const takenMail = (to: string): Mail => ({
  to,
  subject: 'You have a Signalbox account',
  text: `Someone signed up at Signalbox with this address, but you already have an account. If you have forgotten your password, request a new one on the sign-in page.\n\n${ifUnexpected}\n`,
});

/** For an account whose password was forgotten. */
export const resetMail = (to: string, publicUrl: string | null, link: ResetLink): Mail => ({
  to,
  subject: 'A new password for Signalbox',
  text: `Someone requested a new password for your account at Signalbox.\n\n${instructions(publicUrl, link)}\n\n${ifUnexpected}\n`,
});
