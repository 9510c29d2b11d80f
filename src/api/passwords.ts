import { changePassword, completeReset, requestReset } from '../accounts/new-password.js';
import { endpoint, type Endpoint, maxSmallBodyBytes, type RequestCall } from './endpoint.js';

const password = 'correct horse battery staple';
const fixed = {
  tag: 'Sign-in',
  method: 'post',
  needsWebAccounts: true,
  isUncounted: true,
  maxBodyBytes: maxSmallBodyBytes,
} as const;

const change = endpoint({
  ...fixed,
  path: '/api/v1/auth/password',
  id: 'changePassword',
  summary: "Change the account's own password",
  description: 'Signs out all other browsers.',
  request: 'password-change.request',
  example: { currentPassword: password, newPassword: 'staple battery horse correct' },
  scope: 'admin',
  async run(
    call: RequestCall<{ readonly currentPassword: string; readonly newPassword: string }>,
  ): Promise<void> {
    const { currentPassword, newPassword } = call.body;
    await changePassword(await call.accounts(), {
      accountId: call.caller.accountId,
      currentPassword,
      newPassword,
      keepTokenHash: call.browser.signIn?.tokenHash ?? null,
      from: call.address,
      browser: call.browser.knownToken,
    });
  },
});

/** The answer does not reveal whether the address has an account. */
const request = endpoint({
  ...fixed,
  path: '/api/v1/auth/password-reset',
  id: 'requestPasswordReset',
  summary: 'Request a mail with a link to set a new password',
  description:
    'The link leads to `/reset-password#token=…`. The answer is the same if the address has no account.',
  request: 'password-reset.request',
  example: { email: 'ada@example.org' },
  status: 202,
  isPublic: true,
  errors: { 501: 'The gateway sends no mail.' },
  async run(call: RequestCall<{ readonly email: string }>): Promise<void> {
    await requestReset(await call.accounts(), { email: call.body.email, from: call.address });
  },
});

/** Sets a new password, without signing in. */
const complete = endpoint({
  ...fixed,
  path: '/api/v1/auth/password-reset/complete',
  id: 'completePasswordReset',
  summary: 'Set a new password with the token of a link',
  description: 'The token is valid once. Signs out all browsers.',
  request: 'password-reset-complete.request',
  example: { token: 'TOKEN', password },
  isPublic: true,
  errors: { 404: 'The link is not valid, was used, or has expired.' },
  async run(
    call: RequestCall<{ readonly token: string; readonly password: string }>,
  ): Promise<void> {
    await completeReset(await call.accounts(), {
      token: call.body.token,
      password: call.body.password,
      from: call.address,
    });
  },
});

/** Passwords of people. */
export const passwordEndpoints: readonly Endpoint[] = [change, request, complete];
