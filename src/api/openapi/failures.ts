import { json } from './components.js';

/** What each status of an error means, where an operation does not say more. */
const meanings = {
  400: 'The body is not valid JSON.',
  401: 'The API key is missing or not valid.',
  403: 'The key or the account lacks the permission.',
  404: 'A named resource does not exist, or belongs to another account.',
  409: 'The request conflicts with the present state.',
  413: 'The body is too large.',
  415: 'The body has another content type.',
  421: 'The Host header is not a name of this gateway: see `publicUrl` and `allowedHosts`.',
  422: 'A field or a parameter is not valid: `<field>: <reason>`.',
  429: 'Too many requests, or the budget is spent; `Retry-After` says when to try again.',
  500: 'The gateway failed.',
  501: 'The provider cannot do this.',
  502: 'Every model failed; `errorTrace` lists the attempts.',
  503: 'Overloaded, or the database cannot be reached; `Retry-After` says when to try again.',
  504: 'No model answered in time.',
};

/** A status that an operation may answer instead of success. */
export type FailureStatus = keyof typeof meanings;

/** The error responses for these statuses; `texts` replaces what some of them mean. */
export function failures(
  statuses: readonly FailureStatus[],
  texts: Partial<Record<FailureStatus, string>> = {},
  schema = 'error',
): Record<string, object> {
  const sorted = [...new Set(statuses)].sort();
  return Object.fromEntries(
    sorted.map((status) => [
      status,
      { description: texts[status] ?? meanings[status], content: json(schema) },
    ]),
  );
}
