import { queryParameter } from '../openapi/operations.js';

const account = queryParameter('account', "An account's id, or `all` (administrators only).");
const key = queryParameter('key', "A key's id or name.");
/** `format`. */
export const formatParameter = queryParameter(
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

/** The parameters that select requests. */
export const requestParameters = [
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
/** Those of the histogram of requests. */
export const histogramParameters = [
  ...requestParameters,
  queryParameter(
    'interval',
    'The length of each interval: `1s`, `5s`, `10s`, `30s`, `1m`, `5m`, `10m`, `30m`, `1h`, `3h`, `6h`, `1d` or `7d`. Default: the shortest that makes at most 200.',
  ),
];
/** Those of figures over time. */
export const seriesParameters = [
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
/** Those of sums of usage. */
export const usageParameters = [
  queryParameter('limit', 'Rows per page, from 1 to 1000. Default: 1000.', 'integer'),
  queryParameter('cursor', '`next` of the previous page.'),
  account,
  key,
  provider,
  model,
  from,
  to,
  by,
  formatParameter,
];

/** Those of the receipt of savings. */
export const savingsParameters = [
  account,
  key,
  from,
  to,
  queryParameter(
    'by',
    'Also a receipt for each `preference`, `key` or (chosen) `model`. Default: none.',
  ),
];
