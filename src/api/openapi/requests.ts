import { queryParameter, resourcePath } from './operations.js';

const account = queryParameter('account', "An account's id, or `all` (administrators only).");
const key = queryParameter('key', "A key's id or name.");
const format = queryParameter(
  'format',
  '`json`, or `csv` for a file with all rows, which `Accept: text/csv` asks for too.',
);
const code = queryParameter('code', 'An error code, such as `rate_limited`.');
const failed = queryParameter('failed', '`true`: requests with an error code; `false`: without.');
const conversation = queryParameter('conversation', "A conversation's id.");
const bounds = [
  queryParameter('minLatency', 'At least so many ms.', 'number'),
  queryParameter('maxLatency', 'At most so many ms.', 'number'),
  queryParameter('minCost', 'At least so many USD.', 'number'),
  queryParameter('maxCost', 'At most so many USD.', 'number'),
];
const model = queryParameter(
  'model',
  "`<provider>/<model>`, or the model's name alone together with `provider`.",
);
const models = queryParameter(
  'model',
  "One or more of `<provider>/<model>`, separated by commas, or the models' names alone together with `provider`.",
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
  'How the sums are grouped: one or more of `day`, `provider`, `model`, `key` and `account`, separated by commas. Default: `day,model`.',
);

const surface = queryParameter('surface', 'Where it came in, such as `completions`.');
const stream = queryParameter('stream', '`true` or `false`: whether it asked for a stream.');

const requestFilters = [
  account,
  key,
  provider,
  models,
  surface,
  stream,
  status,
  code,
  failed,
  conversation,
  ...bounds,
  from,
  to,
];
const histogramParameters = [
  ...requestFilters,
  queryParameter(
    'interval',
    'The length of each interval: `1s`, `5s`, `10s`, `30s`, `1m`, `5m`, `10m`, `30m`, `1h`, `3h`, `6h`, `1d` or `7d`. Default: the shortest that makes at most 200.',
  ),
];
const seriesParameters = [
  account,
  key,
  provider,
  model,
  from,
  to,
  queryParameter(
    'interval',
    'The length of each point: `1m`, `5m`, `10m`, `30m`, `1h`, `3h`, `6h` or `1d`. Default: the shortest that makes at most 200 points and for which figures are kept.',
  ),
  queryParameter(
    'by',
    'Also the figures of each `model`, `provider`, `key` or `account`, of the 8 largest. Default: none.',
  ),
];
const usageParameters = [
  queryParameter('limit', 'Rows per page, from 1 to 1000. Default: 1000.', 'integer'),
  queryParameter('cursor', '`next` of the previous page.'),
  account,
  key,
  provider,
  model,
  from,
  to,
  by,
  format,
];

const savingsParameters = [
  account,
  key,
  from,
  to,
  queryParameter(
    'by',
    'Also a receipt for each `preference`, `key` or (chosen) `model`. Default: none.',
  ),
];

/** The request log, usage, sessions, feedback, and what was learned from it. */
export function requestPaths(): object {
  return { ...learningPaths(), ...requestLogPaths(), ...sessionPaths(), ...feedbackPaths() };
}

const retraction = [
  queryParameter('from', 'Only what came from this time on: ISO 8601, or ms since 1970.'),
  queryParameter('key', 'Only what came with this key: its id or name.'),
  queryParameter('model', 'Only what was learned about this model.'),
];

const whoForgets =
  'Needs the scope `admin`; a key without it may name itself as `key`. If nothing was learned that ' +
  '`key` and `model` name, 404.';

function learningPaths(): object {
  const response = 'learning.response';
  return {
    ...resourcePath('Feedback', '/api/v1/learning', {
      get: {
        id: 'getLearning',
        summary: 'Show what was learned from feedback and outcomes',
        description: 'Of requests without a preference.',
        response,
      },
      delete: {
        id: 'forgetLearning',
        summary: 'Forget what was learned, or a part of it',
        description: `Without parameters, everything. ${whoForgets}`,
        parameters: retraction,
      },
    }),
    ...resourcePath('Feedback', '/api/v1/preferences/{id}/learning', {
      get: {
        id: 'getPreferenceLearning',
        summary: 'Show what was learned for a preference',
        response,
      },
      delete: {
        id: 'forgetPreferenceLearning',
        summary: 'Forget what was learned for a preference, or a part of it',
        description: `Without parameters, everything. ${whoForgets}`,
        parameters: retraction,
      },
    }),
  };
}

function requestLogPaths(): object {
  return {
    ...resourcePath('Usage', '/api/v1/requests', {
      get: {
        id: 'listRequests',
        summary: "List the account's requests, newest first",
        response: 'request.response',
        isList: true,
        parameters: [...requestFilters, format],
        scope: 'admin',
      },
    }),
    ...resourcePath('Usage', '/api/v1/requests/{id}', {
      get: {
        id: 'getRequest',
        summary: 'One request, with its plan and attempts',
        response: 'request.response',
        scope: 'admin',
      },
    }),
    ...resourcePath('Usage', '/api/v1/usage', {
      get: {
        id: 'getUsage',
        summary: 'Sums of requests, tokens and cost over whole UTC days',
        response: 'usage.response',
        parameters: usageParameters,
        scope: 'admin',
      },
    }),
    ...figurePaths(),
    ...resourcePath('Usage', '/api/v1/savings', {
      get: {
        id: 'getSavings',
        summary:
          'What choosing has saved, against always calling each candidate, and prompt caches',
        description:
          'Over whole UTC days, by default the last 30. Each figure has a 95 % interval; one that nobody can know is null, with a reason. What prompt caches have saved is exact.',
        response: 'savings.response',
        parameters: savingsParameters,
        scope: 'admin',
      },
    }),
    ...shadowingPath(),
  };
}

/** Figures over time. */
function figurePaths(): object {
  return {
    ...resourcePath('Usage', '/api/v1/requests/histogram', {
      get: {
        id: 'getRequestHistogram',
        summary: 'How many requests there were over time, by the filters of their list',
        response: 'request-histogram.response',
        parameters: histogramParameters,
        scope: 'admin',
      },
    }),
    ...resourcePath('Usage', '/api/v1/usage/series', {
      get: {
        id: 'getUsageSeries',
        summary: 'Requests, errors, tokens, cost and latencies over time',
        description:
          'By default of the last day, at most 200 points. Percentiles are of answered calls of models, within 5 %.',
        response: 'usage-series.response',
        parameters: seriesParameters,
        scope: 'admin',
      },
    }),
  };
}

function shadowingPath(): object {
  const shared = { response: 'shadowing.response', scope: 'admin' } as const;
  return resourcePath('Usage', '/api/v1/savings/shadowing', {
    get: {
      id: 'getShadowing',
      summary: "Whether the account's completions are sent to a second model too",
      ...shared,
    },
    put: {
      id: 'setShadowing',
      summary: 'Allow or forbid that completions are sent to a second model',
      request: 'shadowing.request',
      example: { allowed: false },
      ...shared,
    },
  });
}

function sessionPaths(): object {
  return {
    ...resourcePath('Model selection', '/api/v1/sessions', {
      get: {
        id: 'listSessions',
        summary: "List the account's sessions of model selection, newest first",
        response: 'decision.response',
        isList: true,
        scope: 'model-select',
      },
    }),
    ...resourcePath('Model selection', '/api/v1/sessions/{session_id}', {
      get: {
        id: 'getSession',
        summary: 'All decisions of a session, oldest first',
        response: 'session.response',
        scope: 'model-select',
      },
    }),
  };
}

function feedbackPaths(): object {
  return resourcePath('Feedback', '/api/v1/feedback', {
    get: {
      id: 'listFeedback',
      summary: "List the account's feedback, newest first",
      response: 'feedback.response',
      isList: true,
      scope: 'admin',
    },
    post: {
      id: 'giveFeedback',
      summary: 'Rate a model selection or an answer',
      request: 'feedback.request',
      example: { response_id: 'RESPONSE_MESSAGE_ID', score: 1, comment: 'A clear answer.' },
      response: 'feedback.response',
      status: 201,
      errors: { 404: 'The rated decision, answer or request does not exist.' },
    },
  });
}
