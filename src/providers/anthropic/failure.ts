import type { ErrorCode, GatewayError } from '../../errors.js';
import type { ProviderAdapter } from '../adapter.js';
import { codeOfStatus, plainReason, providerFailure } from '../failure.js';
import { isObject, textIn, table } from '../../text/is-object.js';
import { parseJson } from '../json.js';

/** The status of each error type, for errors sent with status 200. */
const statusOfType: Record<string, number> = table({
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
});

interface AnthropicError {
  type: string;
  message: string;
  /** What its details call it. */
  code: string;
}

function errorOf(body: unknown): AnthropicError | null {
  const given = isObject(body) ? body['error'] : null;
  const error = typeof given === 'string' ? { message: given } : given;
  if (!isObject(error)) return null;
  const { type, message, details } = error;
  const code = textIn(isObject(details) && details['error_code']);
  return { type: textIn(type), message: textIn(message), code };
}

function codeOf(status: number, error: AnthropicError | null): ErrorCode {
  // the client sends the whole conversation again
  if (error?.code.startsWith('thread_')) return 'request_refused';
  // Anthropic uses invalid_request_error for every 4xx without its own type
  const typeStatus =
    error && error.type !== 'invalid_request_error' ? statusOfType[error.type] : undefined;
  return codeOfStatus(typeStatus ?? status);
}

/**
 * The failure of an answer that is not 2xx: `{type: "error", error: {type, message}}`, or any text
 * from a proxy before Anthropic.
 */
export const anthropicFailure =
  (provider: string): ProviderAdapter['readFailure'] =>
  (status, headers, body) => {
    const error = errorOf(parseJson(body));
    const reason = error?.message ?? plainReason(body);
    return providerFailure({
      provider,
      status,
      headers,
      reason,
      own: { type: error?.type, code: error?.code },
      code: codeOf(status, error),
    });
  };

/** The failure of an `error` event or body with status 200. An unknown type counts as 500. */
export function anthropicFailureUnder200(provider: string, body: unknown): GatewayError {
  const error = errorOf(body) ?? { type: '', message: '', code: '' };
  const status = statusOfType[error.type] ?? null;
  return providerFailure({
    provider,
    status,
    reason: error.message || error.type,
    own: { type: error.type },
    code: codeOf(status ?? 500, error),
  });
}

/** An error as Anthropic's SDKs read it. */
export function anthropicErrorBody(status: number, message: string): object {
  const known = Object.entries(statusOfType).find(([, ofType]) => ofType === status)?.[0];
  const type = known ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message } };
}
