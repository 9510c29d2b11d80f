import { queryParameter, resourcePath } from './parts.js';

const account = queryParameter('account', "For administrators: an account's id, or `all`.");
const key = queryParameter('key', "A key's id.");
const model = queryParameter(
  'model',
  "`<provider>/<model>`, or beside `provider` the provider's own name for it.",
);
const provider = queryParameter('provider', "A provider's name in the configuration.");
const from = queryParameter('from', 'No earlier than this: in ISO form, or in ms since 1970.');
const to = queryParameter('to', 'Earlier than this.');
const status = queryParameter('status', 'A status, as `429`, or a class of them, as `4xx`.');
const by = queryParameter(
  'by',
  'What the sums are grouped by: one or more of `day`, `model`, `key` and `account`, with commas; `day,model` unless given.',
);

/** The request log, usage, sessions, feedback, and what was learned from it. */
export function requestPaths(): object {
  return { ...learningPaths(), ...requestLogPaths(), ...sessionPaths(), ...feedbackPaths() };
}

function learningPaths(): object {
  const learning = {
    get: { summary: 'What feedback and outcomes have taught', response: 'learning.response' },
    delete: { summary: 'Forget it: choices are as they were before' },
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
        summary: "The account's requests, newest first",
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
        summary: "The account's sessions of model selection, newest first",
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
      summary: "The account's feedback, newest first",
      response: 'feedback.response',
      isList: true,
    },
    post: {
      summary: 'Say how good a decision or an answer was',
      request: 'feedback.request',
      response: 'feedback.response',
      status: 201,
    },
  });
}
