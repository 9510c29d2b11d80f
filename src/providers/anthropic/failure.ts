import type { ErrorCode, GatewayError } from '../../errors.js';
import type { UpstreamHeaders } from '../adapter.js';
import { codeOfStatus, parseJson, providerFailure } from '../failure.js';

/** The status that stands for an error's type, for errors that come under 200. */
const statusOfType: Record<string, number> = {
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
};

interface ErrorWords {
  type: string;
  message: string;
}

function wordsOf(body: unknown): ErrorWords | null {
  const error = (body as { error?: { type?: unknown; message?: unknown } | null } | null)?.error;
  if (typeof error !== 'object' || error === null) return null;
  return {
    type: typeof error.type === 'string' ? error.type : '',
    message: typeof error.message === 'string' ? error.message : '',
  };
}

function codeOf(status: number, words: ErrorWords | null): ErrorCode {
  // an account without money and one at its own spending limit are told so under 400
  if (
    words?.type === 'invalid_request_error' &&
    /credit balance is too low|usage limits|spend(ing)? limit/i.test(words.message)
  )
    return 'provider_auth';
  // Anthropic uses invalid_request_error for every 4xx that has no type of its own
  const meant =
    words && words.type !== 'invalid_request_error' ? statusOfType[words.type] : undefined;
  return codeOfStatus(meant ?? status);
}

/** The failure of an answer that is not 2xx: `{type: "error", error: {type, message}}`, or whatever a proxy before Anthropic sends. */
export function anthropicFailure(
  provider: string,
  status: number,
  headers: UpstreamHeaders,
  body: string,
): GatewayError {
  const words = wordsOf(parseJson(body));
  const reason = words?.message ?? (body.trimStart().startsWith('<') ? '' : body.slice(0, 300));
  return providerFailure({ provider, status, headers, reason, code: codeOf(status, words) });
}

/** The failure that an `error` event or a body of type `error` brings after status 200; an unknown type counts as a fault of the provider's. */
export function anthropicFailureUnder200(provider: string, body: unknown): GatewayError {
  const words = wordsOf(body) ?? { type: '', message: '' };
  const status = statusOfType[words.type] ?? 500;
  return providerFailure({
    provider,
    status,
    reason: words.message || words.type,
    code: codeOf(status, words),
  });
}
