import { resourcePath } from './parts.js';

/** Signing up and in, passwords, and the administrators' list of accounts. */
export function accountPaths(): object {
  return { ...signInPaths(), ...passwordPaths(), ...administrationPaths() };
}

function signInPaths(): object {
  return {
    ...resourcePath('/api/v1/auth/sign-up', {
      post: {
        summary:
          "Make an account; answers the same whether the address has one already or not. Where the gateway sends mail, the password is set by the link in one; elsewhere it is good at once. The first account is the administrator's",
        request: 'sign-up.request',
        status: 202,
        isPublic: true,
      },
    }),
    ...resourcePath('/api/v1/auth/sign-in', {
      post: {
        summary: 'Sign a browser in, with the cookie `signalbox_session`',
        request: 'sign-in.request',
        response: 'sign-in.response',
        isPublic: true,
      },
    }),
    ...resourcePath('/api/v1/auth/sign-out', { post: { summary: 'Sign the browser out' } }),
    ...resourcePath('/api/v1/auth/account', {
      get: { summary: 'Whose browser or key this is', response: 'own-account.response' },
    }),
  };
}

function passwordPaths(): object {
  return {
    ...resourcePath('/api/v1/auth/password', {
      post: {
        summary: 'Change the own password; other browsers are signed out',
        request: 'password-change.request',
      },
    }),
    ...resourcePath('/api/v1/auth/password-reset', {
      post: {
        summary:
          'Ask for a mail with a link to `/reset-password#token=…`; answers the same whether the address has an account or not',
        request: 'password-reset.request',
        status: 202,
        isPublic: true,
      },
    }),
    ...resourcePath('/api/v1/auth/password-reset/complete', {
      post: {
        summary:
          "Choose a new password with a link's token, which is good once; all browsers are signed out",
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
        summary: 'All accounts, newest first; for administrators',
        response: 'account.response',
        isList: true,
      },
      post: {
        summary:
          'Invite somebody: an account and a link to choose its password; for administrators',
        request: 'account.request',
        response: 'invitation.response',
        status: 201,
      },
    }),
    ...resourcePath('/api/v1/accounts/{id}', {
      patch: {
        summary:
          "Change an account's role, or disable it; for administrators, of whom the last one stays (409)",
        request: 'account-change.request',
        response: 'account.response',
      },
    }),
    ...resourcePath('/api/v1/accounts/{id}/reset-link', {
      post: {
        summary: "A link with which an account's owner chooses a new password; for administrators",
        response: 'reset-link.response',
        status: 201,
      },
    }),
  };
}
