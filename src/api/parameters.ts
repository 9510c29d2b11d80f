import { refuseUnknown, type WithQuery } from './query.js';

/** An optional parameter of the query, or a header, as the API's document has it. */
export interface QueryParameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly description: string;
  readonly schema: object;
}

/** An optional parameter of the query. */
export const queryParameter = (
  name: string,
  description: string,
  type = 'string',
): QueryParameter => ({ name, in: 'query', description, schema: { type } });

/** What an operation takes in its query. */
export interface TakesParameters {
  /** Whether the response is a paged list, with `limit` and `cursor`. */
  readonly isList?: boolean;
  /** Beside those of a list. A reading or deleting endpoint refuses all others. */
  readonly parameters?: readonly QueryParameter[];
}

const pageParameters = [
  queryParameter('limit', 'Items per page, from 1 to 100. Default: 20.', 'integer'),
  queryParameter('cursor', '`next` of the previous page.'),
];

/** All parameters of an operation; undefined: it has none. */
export const parametersOf = ({
  isList,
  parameters,
}: TakesParameters): readonly QueryParameter[] | undefined =>
  isList ? [...pageParameters, ...(parameters ?? [])] : parameters;

/**
 * Refuses parameters that a reading or deleting endpoint does not have.
 * @throws GatewayError `bad_request`
 */
export function checkQuery(
  one: TakesParameters & { readonly method: string },
  asked: WithQuery,
): void {
  const known = parametersOf(one);
  if (known && (one.method === 'get' || one.method === 'delete'))
    refuseUnknown(
      asked,
      known.map(({ name }) => name),
    );
}

/** Parameters that several operations have. */
export const shared = {
  account: queryParameter('account', "An account's id, or `all` (administrators only)."),
  key: queryParameter('key', "A key's id or name."),
  provider: queryParameter('provider', "A provider's name in the configuration."),
  model: queryParameter(
    'model',
    "`<provider>/<model>`, or the model's name alone together with `provider`.",
  ),
  from: queryParameter('from', 'Start of the time range, inclusive: ISO 8601, or ms since 1970.'),
  to: queryParameter('to', 'End of the time range, exclusive.'),
  cursor: pageParameters[1]!,
  format: queryParameter(
    'format',
    '`json`; `csv` or `jsonl` for a file with all rows. `Accept: text/csv` asks for CSV too.',
  ),
};

/** What sums of requests are taken of. */
export const summedRequests: readonly QueryParameter[] = [
  shared.account,
  shared.key,
  shared.provider,
  shared.model,
  shared.from,
  shared.to,
];
