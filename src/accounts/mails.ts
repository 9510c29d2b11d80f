import type { Mail } from './mailer.js';
import { type ResetLink, resetUrl } from './reset-link.js';

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
