import { resourcePath } from './operations.js';

const mail = 'ada@example.org';
const password = 'correct horse battery staple';

/** Sign-up, sign-in, passwords, and the administration of accounts. */
export function accountPaths(): object {
  return { ...newAccountPaths(), ...signInPaths(), ...passwordPaths(), ...administrationPaths() };
}

function newAccountPaths(): object {
  return {
    ...resourcePath('Sign-in', '/api/v1/auth/sign-up', {
      post: {
        id: 'signUp',
        summary: 'Create an account',
        description:
          'Only if `auth.signUp` is open. The answer is the same if the address already has an account. If the gateway sends mail, the password is set with the link in the mail; otherwise it is valid at once.',
        request: 'sign-up.request',
        example: { email: mail, password },
        status: 202,
        isPublic: true,
        errors: { 403: 'Sign-up is closed, or not open to this address.' },
      },
    }),
    ...resourcePath('Sign-in', '/api/v1/auth/claim', {
      post: {
        id: 'claimGateway',
        summary: 'Claim the gateway, once',
        description:
          'Gives the first account its owner, who becomes administrator. Needs the first API key or the claim code, in `code` or as the API key of the request.',
        request: 'claim.request',
        example: { code: 'sk_…', email: mail, password },
        response: 'account.response',
        status: 201,
        isPublic: true,
        errors: {
          401: 'The code is wrong.',
          409: 'The gateway has been claimed, or the address has another account.',
        },
      },
    }),
  };
}

function signInPaths(): object {
  return {
    ...resourcePath('Sign-in', '/api/v1/auth/sign-in', {
      post: {
        id: 'signIn',
        summary: 'Sign in a browser',
        description:
          'Sets the cookie `__Host-signalbox`, or `signalbox_session` over plain HTTP. Changes also need the `csrfToken` of the answer, in `X-CSRF-Token`.',
        request: 'sign-in.request',
        example: { email: mail, password },
        response: 'sign-in.response',
        isPublic: true,
        errors: { 401: 'The mail address or the password is wrong.' },
      },
    }),
    ...resourcePath('Sign-in', '/api/v1/auth/sign-out', {
      post: {
        id: 'signOut',
        summary: 'Sign out the browser, or all browsers of the account',
        description: 'With `everywhere`, a key must allow `admin`.',
        request: 'sign-out.request',
        isBodyOptional: true,
        example: { everywhere: true },
      },
    }),
    ...resourcePath('Sign-in', '/api/v1/auth/status', {
      get: {
        id: 'getAuthStatus',
        summary: 'How people sign in, and whether this browser has',
        response: 'auth-status.response',
        isPublic: true,
      },
    }),
    ...resourcePath('Sign-in', '/api/v1/auth/account', {
      get: {
        id: 'getOwnAccount',
        summary: 'The account of this browser or key',
        response: 'own-account.response',
      },
    }),
  };
}

function passwordPaths(): object {
  return {
    ...resourcePath('Sign-in', '/api/v1/auth/password', {
      post: {
        id: 'changePassword',
        summary: "Change the account's own password",
        description: 'Signs out all other browsers.',
        request: 'password-change.request',
        example: { currentPassword: password, newPassword: 'staple battery horse correct' },
        scope: 'admin',
      },
    }),
    ...resourcePath('Sign-in', '/api/v1/auth/password-reset', {
      post: {
        id: 'requestPasswordReset',
        summary: 'Request a mail with a link to set a new password',
        description:
          'The link leads to `/reset-password#token=…`. The answer is the same if the address has no account.',
        request: 'password-reset.request',
        example: { email: mail },
        status: 202,
        isPublic: true,
        errors: { 501: 'The gateway sends no mail.' },
      },
    }),
    ...resourcePath('Sign-in', '/api/v1/auth/password-reset/complete', {
      post: {
        id: 'completePasswordReset',
        summary: 'Set a new password with the token of a link',
        description: 'The token is valid once. Signs out all browsers.',
        request: 'password-reset-complete.request',
        example: { token: 'TOKEN', password },
        isPublic: true,
        errors: { 404: 'The link is not valid, was used, or has expired.' },
      },
    }),
  };
}

function administrationPaths(): object {
  return {
    ...resourcePath('Accounts', '/api/v1/accounts', {
      get: {
        id: 'listAccounts',
        summary: 'List all accounts, newest first',
        response: 'account.response',
        isList: true,
        scope: 'administrator',
      },
      post: {
        id: 'inviteAccount',
        summary: 'Invite a person',
        description: 'Creates an account and a link to set its password.',
        request: 'account.request',
        example: { email: mail },
        response: 'invitation.response',
        status: 201,
        scope: 'administrator',
        errors: { 409: 'The address already has an account.' },
      },
    }),
    ...oneAccountPath(),
    ...exportPath(),
    ...resourcePath('Accounts', '/api/v1/accounts/{id}/reset-link', {
      post: {
        id: 'createResetLink',
        summary: "Create a link with which the account's owner sets a new password",
        response: 'reset-link.response',
        status: 201,
        scope: 'administrator',
        errors: { 409: 'The account is disabled, or has no owner.' },
      },
    }),
  };
}

function exportPath(): object {
  return resourcePath('Accounts', '/api/v1/accounts/{id}/export', {
    get: {
      id: 'exportAccount',
      summary: 'All data of an account, as JSON Lines',
      description:
        'For the account itself, complete if the key may use completions; else, and for administrators, the account, its keys, usage, and the request log without prompts and answers. Each line says in `object` what it is; the last is `{"object":"end"}`.',
      scope: 'admin',
      answer: {
        description: 'The file, as an attachment.',
        content: { 'application/jsonl': { schema: { type: 'string' } } },
      },
    },
  });
}

function oneAccountPath(): object {
  return resourcePath('Accounts', '/api/v1/accounts/{id}', {
    patch: {
      id: 'updateAccount',
      summary: "Change an account's role or limits, or disable it",
      request: 'account-change.request',
      example: { limits: { requestsPerMinute: 60, dayBudgetUsd: 5 } },
      response: 'account.response',
      scope: 'administrator',
      errors: { 409: 'This is the last administrator.' },
    },
    delete: {
      id: 'deleteAccount',
      summary: 'Delete an account with all its data',
      description:
        'By an administrator, or by the account itself with its `password` in a JSON body. Its keys and sign-ins end at once.',
      request: 'account-deletion.request',
      example: { password },
      isBodyOptional: true,
      scope: 'admin',
      errors: {
        403: "The account's password is missing or wrong.",
        409: 'This is the last administrator.',
      },
    },
  });
}
