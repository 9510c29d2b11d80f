import type { Mail } from './mailer.js';
import { type ResetLink, resetUrl } from './reset-link.js';

/** Never the address that a request came to: whoever asks for somebody's mail would choose where its link leads. */
function way(publicUrl: string | null, { token, expiresAt }: ResetLink): string {
  const until = `It is good once, until ${new Date(expiresAt).toUTCString()}.`;
  return publicUrl === null
    ? `Enter this code where you sign in, under "new password":\n\n${token}\n\n${until}`
    : `Choose your password here:\n\n${resetUrl(publicUrl, token)}\n\n${until}`;
}

const unasked = 'If you did not ask for this, you need not do anything.';

/** For an address that has signed up: whoever reads it chooses the password. */
export const welcomeMail = (to: string, publicUrl: string | null, link: ResetLink): Mail => ({
  to,
  subject: 'Your Signalbox account',
  text: `Somebody has signed up at Signalbox with this address.\n\n${way(publicUrl, link)}\n\n${unasked}\n`,
});

/** For an address that has signed up and has an account already. */
export const takenMail = (to: string): Mail => ({
  to,
  subject: 'You have a Signalbox account',
  text: `Somebody has signed up at Signalbox with this address, but you have an account already. If you have forgotten your password, ask for a new one where you sign in.\n\n${unasked}\n`,
});

/** For whoever has forgotten the password. */
export const resetMail = (to: string, publicUrl: string | null, link: ResetLink): Mail => ({
  to,
  subject: 'A new password for Signalbox',
  text: `Somebody has asked for a new password for your account at Signalbox.\n\n${way(publicUrl, link)}\n\n${unasked}\n`,
});
