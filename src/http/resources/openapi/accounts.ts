import { resourcePath } from './parts.js';

/** Sign-up, sign-in, passwords, and the administration of accounts. */
export function accountPaths(): object {
  return { ...signInPaths(), ...passwordPaths(), ...administrationPaths() };
}

function signInPaths(): object {
  return {
    ...resourcePath('/api/v1/auth/sign-up', {
      post: {
        summary:
          'Create an account. The answer is the same if the address already has one. If the gateway sends mail, the password is set with the link in the mail; otherwise it is valid at once. The first account becomes administrator',
        request: 'sign-up.request',
        status: 202,
        isPublic: true,
      },
    }),
    ...resourcePath('/api/v1/auth/sign-in', {
      post: {
        summary: 'Sign in a browser: sets the cookie `signalbox_session`',
        request: 'sign-in.request',
        response: 'sign-in.response',
        isPublic: true,
      },
    }),
    ...resourcePath('/api/v1/auth/sign-out', { post: { summary: 'Sign out the browser' } }),
    ...resourcePath('/api/v1/auth/account', {
      get: { summary: 'The account of this browser or key', response: 'own-account.response' },
    }),
  };
}

function passwordPaths(): object {
  return {
    ...resourcePath('/api/v1/auth/password', {
      post: {
        summary: "Change the account's own password; signs out all other browsers",
        request: 'password-change.request',
      },
    }),
    ...resourcePath('/api/v1/auth/password-reset', {
      post: {
        summary:
          'Request a mail with a link to `/reset-password#token=…`. The answer is the same if the address has no account',
        request: 'password-reset.request',
        status: 202,
        isPublic: true,
      },
    }),
    ...resourcePath('/api/v1/auth/password-reset/complete', {
      post: {
        summary:
          'Set a new password with the token of a link, which is valid once; signs out all browsers',
        request: 'password-reset-complete.request',
        isPublic: true,
      },
    }),
  };
}

function administrationPaths(): object {
  return {
    ...resourcePath('/api/v1/accounts', {
      get: {
        summary: 'List all accounts, newest first (administrators only)',
        response: 'account.response',
        isList: true,
      },
      post: {
        summary:
          'Invite a person: creates an account and a link to set its password (administrators only)',
        request: 'account.request',
        response: 'invitation.response',
        status: 201,
      },
    }),
    ...resourcePath('/api/v1/accounts/{id}', {
      patch: {
        summary:
          "Change an account's role or limits, or disable it (administrators only). The last administrator cannot be removed (409)",
        request: 'account-change.request',
        response: 'account.response',
      },
    }),
    ...resourcePath('/api/v1/accounts/{id}/reset-link', {
      post: {
        summary:
          "Create a link with which the account's owner sets a new password (administrators only)",
        response: 'reset-link.response',
        status: 201,
      },
    }),
  };
}
