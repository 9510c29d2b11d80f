import { checkScope } from '../accounts/caller.js';
import { claimGateway } from '../accounts/claim.js';
import { knownBrowserMs } from '../accounts/known-browser.js';
import { mailAddressOf } from '../accounts/mail-address.js';
import { changePassword, completeReset, requestReset } from '../accounts/new-password.js';
import { signIn, signOut, signOutEverywhere } from '../accounts/sign-in.js';
import { signUp } from '../accounts/sign-up.js';
import { shownAccount } from './accounts.js';
import { endpointsOf, type Endpoint, maxSmallBodyBytes, type RequestCall } from './endpoint.js';
import { isoOrNull } from './shown-fields.js';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

const path = '/api/v1/auth';
const resetPath = `${path}/password-reset`;
const email = 'ada@example.org';
const password = 'correct horse battery staple';
const endpoint = endpointsOf({ tag: 'Sign-in' });
/** What the endpoints of people with browsers have in common. */
const open = {
  needsWebAccounts: true,
  isUncounted: true,
  maxBodyBytes: maxSmallBodyBytes,
} as const;

/** The answer does not reveal whether the address has an account already. */
const signUpAccount = endpoint('post', `${path}/sign-up`, 'signUp', {
  ...open,
  summary: 'Create an account',
  description:
    'Only if `auth.signUp` is open. The answer is the same if the address already has an account. If the gateway sends mail, the password is set with the link in the mail; otherwise it is valid at once.',
  request: 'sign-up.request',
  example: { email, password },
  status: 202,
  isPublic: true,
  errors: { 403: 'Sign-up is closed, or not open to this address.' },
  async run(call: RequestCall<Credentials>): Promise<void> {
    await signUp(await call.accounts(), { ...call.body, from: call.address });
  },
});

/** The secret is `code` in the body or the API key of the request. */
const claim = endpoint('post', `${path}/claim`, 'claimGateway', {
  ...open,
  summary: 'Claim the gateway, once',
  description:
    'Gives the first account its owner, who becomes administrator. Needs the first API key or the claim code, in `code` or as the API key of the request.',
  request: 'claim.request',
  example: { code: 'sk_…', email, password },
  response: 'account.response',
  status: 201,
  isPublic: true,
  errors: {
    401: 'The code is wrong.',
    409: 'The gateway has been claimed, or the address has another account.',
  },
  async run(call: RequestCall<Credentials & { readonly code?: string | null }>) {
    const code = call.body.code ?? call.key;
    const claimed = { ...call.body, code, from: call.address };
    const account = await claimGateway(await call.accounts(), claimed);
    await call.parts.state.keys.accountChanged();
    return shownAccount(account);
  },
});

/** Sets the cookie and returns the CSRF token that the browser sends with every change. */
const signInBrowser = endpoint('post', `${path}/sign-in`, 'signIn', {
  ...open,
  summary: 'Sign in a browser',
  description:
    'Sets the cookie `__Host-signalbox`, or `signalbox_session` over plain HTTP. Changes also need the `csrfToken` of the answer, in `X-CSRF-Token`.',
  request: 'sign-in.request',
  example: { email, password },
  response: 'sign-in.response',
  isPublic: true,
  errors: { 401: 'The mail address or the password is wrong.' },
  async run(call: RequestCall<Credentials>) {
    const { browser, body } = call;
    const context = await call.accounts();
    const signedIn = await signIn(context, {
      email: mailAddressOf(body.email),
      password: body.password,
      from: call.address,
      browser: browser.knownToken,
    });
    if (browser.token !== null) await signOut(context, browser.token);
    const { publicUrl, signInMs } = context.rules;
    browser.setCookies(
      { token: signedIn.token, keepMs: signInMs, publicUrl },
      { token: signedIn.browserToken, keepMs: knownBrowserMs, publicUrl },
    );
    const { csrfToken, expiresAt } = signedIn.signIn;
    return { account: shownAccount(signedIn.account), csrfToken, expiresAt: isoOrNull(expiresAt) };
  },
});

/**
 * Ends the browser's sign-in; with an API key it changes nothing. With `everywhere` it ends all
 * sign-ins of the account, for which a key needs the scope `admin`.
 */
const signOutBrowser = endpoint('post', `${path}/sign-out`, 'signOut', {
  ...open,
  summary: 'Sign out the browser, or all browsers of the account',
  description: 'With `everywhere`, a key must allow `admin`.',
  request: 'sign-out.request',
  isBodyOptional: true,
  example: { everywhere: true },
  async run(call: RequestCall<{ readonly everywhere?: boolean | null }>): Promise<void> {
    const { caller, browser } = call;
    const context = await call.accounts();
    if (call.body.everywhere) {
      checkScope(caller, 'admin');
      await signOutEverywhere(context, caller.accountId);
    }
    if (browser.token !== null) await signOut(context, browser.token);
    browser.clearCookie(context.rules.publicUrl);
  },
});

const changeOwnPassword = endpoint('post', `${path}/password`, 'changePassword', {
  ...open,
  summary: "Change the account's own password",
  description: 'Signs out all other browsers.',
  request: 'password-change.request',
  example: { currentPassword: password, newPassword: 'staple battery horse correct' },
  scope: 'admin',
  async run(
    call: RequestCall<{ readonly currentPassword: string; readonly newPassword: string }>,
  ): Promise<void> {
    await changePassword(await call.accounts(), {
      ...call.body,
      accountId: call.caller.accountId,
      keepTokenHash: call.browser.signIn?.tokenHash ?? null,
      from: call.address,
      browser: call.browser.knownToken,
    });
  },
});

/** The answer does not reveal whether the address has an account. */
const requestPasswordReset = endpoint('post', resetPath, 'requestPasswordReset', {
  ...open,
  summary: 'Request a mail with a link to set a new password',
  description:
    'The link leads to `/reset-password#token=…`. The answer is the same if the address has no account.',
  request: 'password-reset.request',
  example: { email: 'ada@example.org' },
  status: 202,
  isPublic: true,
  errors: { 501: 'The gateway sends no mail.' },
  async run(call: RequestCall<{ readonly email: string }>): Promise<void> {
    await requestReset(await call.accounts(), { ...call.body, from: call.address });
  },
});

/** Sets a new password, without signing in. */
const completePasswordReset = endpoint('post', `${resetPath}/complete`, 'completePasswordReset', {
  ...open,
  summary: 'Set a new password with the token of a link',
  description: 'The token is valid once. Signs out all browsers.',
  request: 'password-reset-complete.request',
  example: { token: 'TOKEN', password },
  isPublic: true,
  errors: { 404: 'The link is not valid, was used, or has expired.' },
  async run(
    call: RequestCall<{ readonly token: string; readonly password: string }>,
  ): Promise<void> {
    await completeReset(await call.accounts(), { ...call.body, from: call.address });
  },
});

/** It reveals nothing that the other routes without a key do not reveal. */
const getAuthStatus = endpoint('get', `${path}/status`, 'getAuthStatus', {
  summary: 'How people sign in, and whether this browser has',
  response: 'auth-status.response',
  isPublic: true,
  async run({ parts, snapshot, browser, needsKey }: RequestCall) {
    const { accounts } = snapshot;
    const { store } = await parts.state.opened();
    return {
      object: 'auth_status',
      webAccounts: accounts.web,
      claimed: accounts.web ? await store.claims.hasOwner() : null,
      signUp: accounts.web ? accounts.signUp : 'closed',
      mail: accounts.mailer !== null,
      signedIn: await browser.isSignedIn(),
      keyRequired: needsKey,
    };
  },
});

/** A key in the configuration has an account of its own. */
const getOwnAccount = endpoint('get', `${path}/account`, 'getOwnAccount', {
  summary: 'The account of this browser or key',
  response: 'own-account.response',
  async run({ parts, caller, browser: { signIn: current } }: RequestCall) {
    const { store } = await parts.state.opened();
    const { accountId, role, keyId, name, scopes, models, accountLimits } = caller;
    const account = (await store.accounts.find(accountId)) ?? {
      id: accountId,
      email: null,
      role,
      createdAt: null,
      disabledAt: null,
      limits: accountLimits,
    };
    return {
      account: shownAccount(account),
      name,
      scopes,
      key: keyId === null ? null : { id: keyId, name, scopes, models },
      csrfToken: current?.csrfToken ?? null,
      expiresAt: isoOrNull(current?.expiresAt ?? null),
    };
  },
});

/** Sign-up, sign-in and passwords. */
export const signInEndpoints: readonly Endpoint[] = [
  signUpAccount,
  claim,
  signInBrowser,
  signOutBrowser,
  getAuthStatus,
  getOwnAccount,
  changeOwnPassword,
  requestPasswordReset,
  completePasswordReset,
];
