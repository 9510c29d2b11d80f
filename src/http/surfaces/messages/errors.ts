import type { GatewayError } from '../../../errors.js';
import type { Surface } from '../surface.js';

/** Anthropic's error types by status; its SDKs choose their classes by the status. */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function statusOf({ code, status, clientError }: GatewayError): number {
  if (clientError?.code === 'context_length_exceeded' || status === 422) return 400;
  if (code === 'quota_exhausted') return 402;
  // Anthropic's status of an overload, which has no standard number
  return status === 503 && code !== 'unavailable' ? 529 : status;
}

function typeOf(error: GatewayError): string {
  if (error.code === 'budget_spent' || error.code === 'budget_too_small') return 'billing_error';
  const status = statusOf(error);
  return types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/**
 * Clients look for this wording before they shorten a conversation, and read both numbers. A
 * provider's text has them in either order: more tokens were sent than are allowed.
 */
function messageOf({ clientError, message }: GatewayError): string {
  if (clientError?.code !== 'context_length_exceeded') return message;
  const own = /prompt is too long: \d+ tokens > \d+( maximum)?/i.exec(message)?.[0];
  if (own !== undefined) return own.endsWith('maximum') ? own : `${own} maximum`;
  const numbers = [...message.matchAll(/\b\d{3,}(?:[,_]\d{3})*\b/g)]
    .map(([number]) => Number(number.replace(/[,_]/g, '')))
    // the status that the provider answered with
    .filter((number) => number >= 1_000);
  const [sent, allowed] = [Math.max(...numbers), Math.min(...numbers)];
  return sent > allowed
    ? `prompt is too long: ${sent} tokens > ${allowed} maximum (${message})`
    : `prompt is too long (${message})`;
}

/** Anthropic's SDK sends the whole conversation where the details say that a thread cannot be had. */
function detailsOf({ clientError, message }: GatewayError): object {
  const isOurs = /`thread`|^thread:/.test(message);
  const code = isOurs ? 'thread_unsupported_request' : clientError?.code;
  return code?.startsWith('thread_') ? { details: { error_code: code, unsupported: [] } } : {};
}

/** An error in Anthropic's shape. */
export const messagesErrorBody = (error: GatewayError, requestId: string): object => ({
  type: 'error',
  error: { type: typeOf(error), message: messageOf(error), ...detailsOf(error) },
  request_id: requestId,
});

/** A surface of Anthropic's dialect, which answers with its errors. */
export const messagesErrors = <Label extends Surface['label']>(label: Label) =>
  ({
    label,
    invalidCode: 'bad_request',
    requestIdHeader: 'request-id',
    statusOf,
    errorBody: messagesErrorBody,
  }) as const;
