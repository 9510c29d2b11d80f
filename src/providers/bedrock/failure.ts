import { type ErrorCode, GatewayError } from '../../errors.js';
import type { ProviderAdapter, UpstreamHeaders } from '../adapter.js';
import { codeOfStatus, providerFailure } from '../failure.js';
import { parseJson } from '../json.js';
import { namesIn, textIn } from '../../text/is-object.js';

interface ExceptionKind {
  readonly code: ErrorCode;
  /** The status that AWS documents for it; an exception inside a stream is reported with it. */
  readonly status: number;
}

const auth = { code: 'provider_auth', status: 403 } as const;

/** AWS exceptions by name, in lower case and without `exception`. */
const exceptions: ReadonlyMap<string, ExceptionKind> = new Map<string, ExceptionKind>([
  ...namesIn(`
    accessdenied expiredtoken incompletesignature invalidclienttokenid invalidsignature
    missingauthenticationtoken notauthorized optinrequired signaturedoesnotmatch unrecognizedclient
  `).map((name) => [name, auth] as const),
  ['validation', { code: 'request_refused', status: 400 }],
  ['resourcenotfound', { code: 'model_not_found', status: 404 }],
  ['unknownoperation', { code: 'model_not_found', status: 404 }],
  ['throttling', { code: 'rate_limited', status: 429 }],
  // AWS's table says 400, but waiting helps
  ['servicequotaexceeded', { code: 'rate_limited', status: 429 }],
  // AWS's table says 429, but the model is loading; the caller did not exceed a limit
  ['modelnotready', { code: 'upstream_overloaded', status: 429 }],
  ['serviceunavailable', { code: 'upstream_overloaded', status: 503 }],
  ['modeltimeout', { code: 'upstream_error', status: 408 }],
  ['modelerror', { code: 'upstream_error', status: 424 }],
  ['modelstreamerror', { code: 'upstream_error', status: 424 }],
  ['internalserver', { code: 'upstream_error', status: 500 }],
  ['internalfailure', { code: 'upstream_error', status: 500 }],
]);

// Only the message of a ValidationException says what was wrong (wordings of 2024-2026).
const streamingRefused =
  /unsupported for streaming|in streaming mode|doesn.t support streaming|streaming is not supported/i;

/**
 * `ValidationException:http://…` and `com.amazon.coral#ValidationException` are both `validation`.
 */
const exceptionName = (type: string): string =>
  (type.split(':')[0] ?? '')
    .replace(/^.*#/, '')
    .replace(/exception$/i, '')
    .trim()
    .toLowerCase();

function kindOf(type: string, reason: string): ExceptionKind | undefined {
  const kind = exceptions.get(exceptionName(type));
  if (kind?.code !== 'request_refused') return kind;
  return streamingRefused.test(reason) ? { code: 'stream_refused', status: kind.status } : kind;
}

/** True for an answer that says that the credentials have expired and must be fetched again. */
export const isExpiredCredentials = (headers: UpstreamHeaders, body: string): boolean =>
  exceptionName(typeOf(headers, body)) === 'expiredtoken' ||
  /security token.{0,40} is expired/i.test(body);

function typeOf(headers: UpstreamHeaders, body: string): string {
  const header = headers['x-amzn-errortype'];
  const named = Array.isArray(header) ? header[0] : header;
  return named ?? textIn((parseJson(body) as { __type?: unknown } | null)?.__type);
}

/**
 * The failure of an answer that is not 2xx: `{message}` or `{Message}`, with the exception's name
 * in `x-amzn-errortype` or `__type`.
 */
export const readBedrockFailure =
  (provider: string): ProviderAdapter['readFailure'] =>
  (status, headers, body) => {
    const parsed = parseJson(body) as { message?: unknown; Message?: unknown } | null;
    const reason =
      textIn(parsed?.message) || textIn(parsed?.Message) || (parsed === null ? body : '');
    // recorders and proxies drop the header; a 400 without a name is a ValidationException
    const type = typeOf(headers, body) || (status === 400 ? 'ValidationException' : '');
    return providerFailure({
      provider,
      status,
      headers,
      reason,
      code: kindOf(type, reason)?.code ?? codeOfStatus(status),
    });
  };

/**
 * The failure of an exception inside a stream that began with 200, with the exception's own status.
 */
export function streamException(provider: string, type: string, body: string): GatewayError {
  const parsed = parseJson(body) as { message?: unknown; originalMessage?: unknown } | null;
  const reason =
    textIn(parsed?.message) || textIn(parsed?.originalMessage) || (parsed === null ? body : '');
  const kind = kindOf(type, reason) ?? { code: 'upstream_error', status: 500 };
  return providerFailure({
    provider,
    status: kind.status,
    reason: reason || type,
    code: kind.code,
  });
}

/** The failure of an answer whose model wrote output that Bedrock could not read. */
export const malformedOutput = (provider: string, stopReason: string): GatewayError =>
  new GatewayError(
    'upstream_error',
    `${provider} could not read its model's output: ${stopReason}`,
    { recovery: 'once' },
  );
