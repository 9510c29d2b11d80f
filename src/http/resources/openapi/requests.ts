import { queryParameter, resourcePath } from './parts.js';

const account = queryParameter('account', "An account's id, or `all` (administrators only).");
const key = queryParameter('key', "A key's id.");
const model = queryParameter(
  'model',
  "`<provider>/<model>`, or the model's name alone together with `provider`.",
);
const provider = queryParameter('provider', "A provider's name in the configuration.");
const from = queryParameter(
  'from',
  'Start of the time range, inclusive: ISO 8601, or ms since 1970.',
);
const to = queryParameter('to', 'End of the time range, exclusive.');
const status = queryParameter('status', 'A status such as `429`, or a class such as `4xx`.');
const by = queryParameter(
  'by',
  'How the sums are grouped: one or more of `day`, `model`, `key` and `account`, separated by commas. Default: `day,model`.',
);

/** The request log, usage, sessions, feedback, and what was learned from it. */
export function requestPaths(): object {
  return { ...learningPaths(), ...requestLogPaths(), ...sessionPaths(), ...feedbackPaths() };
}

function learningPaths(): object {
  const learning = {
    get: {
      summary: 'Show what was learned from feedback and outcomes',
      response: 'learning.response',
    },
    delete: { summary: 'Forget what was learned' },
  };
  return {
    ...resourcePath('/api/v1/learning', learning),
    ...resourcePath('/api/v1/preferences/{id}/learning', learning),
  };
}

function requestLogPaths(): object {
  return {
    ...resourcePath('/api/v1/requests', {
      get: {
        summary: "List the account's requests, newest first",
        response: 'request.response',
        isList: true,
        parameters: [account, key, provider, model, status, from, to],
      },
    }),
    ...resourcePath('/api/v1/requests/{id}', {
      get: { summary: 'One request, with its plan and attempts', response: 'request.response' },
    }),
    ...resourcePath('/api/v1/usage', {
      get: {
        summary: 'Sums of requests, tokens and cost over whole UTC days',
        response: 'usage.response',
        parameters: [account, key, provider, model, from, to, by],
      },
    }),
  };
}

function sessionPaths(): object {
  return {
    ...resourcePath('/api/v1/sessions', {
      get: {
        summary: "List the account's sessions of model selection, newest first",
        response: 'decision.response',
        isList: true,
      },
    }),
    ...resourcePath('/api/v1/sessions/{session_id}', {
      get: { summary: 'All decisions of a session, oldest first', response: 'session.response' },
    }),
  };
}

function feedbackPaths(): object {
  return resourcePath('/api/v1/feedback', {
    get: {
      summary: "List the account's feedback, newest first",
      response: 'feedback.response',
      isList: true,
    },
    post: {
      summary: 'Rate a model selection or an answer',
      request: 'feedback.request',
      response: 'feedback.response',
      status: 201,
    },
  });
}
