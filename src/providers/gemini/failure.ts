import type { ErrorCode, GatewayError } from '../../errors.js';
import type { ProviderAdapter, UpstreamHeaders } from '../adapter.js';
import { codeOfStatus, plainReason, providerFailure } from '../failure.js';
import { parseJson } from '../json.js';
import { isObject, objectsIn, table, textIn } from '../../text/is-object.js';

interface RpcError {
  code?: number;
  message?: string;
  status?: string;
  details?: {
    reason?: string;
    retryDelay?: string;
    violations?: { quotaId?: unknown }[];
  }[];
}

/** Of names with the same status, the first is the one that the gateway gives. */
const statusOfName: Record<string, number> = table({
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  CANCELLED: 500,
  UNKNOWN: 500,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
});

/**
 * The failure of an answer that is not 2xx: `{error: {code, message, status, details}}`, the same
 * in an array, or any text.
 */
export const googleFailure =
  (provider: string): ProviderAdapter['readFailure'] =>
  (status, headers, body) => {
    const error = rpcError(parseJson(body));
    const reason = error?.message ?? plainReason(body);
    return failure(provider, status, headers, { ...error, message: reason });
  };

/** The failure of an error sent with status 200: a body, an array or an event that has `error`. */
export function googleFailureUnder200(provider: string, body: unknown): GatewayError {
  const error = rpcError(body) ?? {};
  const code = error.code ?? 0;
  const status = code >= 400 && code < 600 ? code : (statusOfName[error.status ?? ''] ?? null);
  return failure(
    provider,
    status,
    {},
    { ...error, message: error.message ?? 'an error without a message' },
  );
}

const failure = (
  provider: string,
  status: number | null,
  headers: UpstreamHeaders,
  error: RpcError,
): GatewayError =>
  providerFailure({
    provider,
    status,
    headers,
    reason: [error.message, ...spentQuotas(error)].join(' '),
    code: codeOf(status ?? 500, error),
    retryAfterMs: retryDelayMs(error),
  });

function rpcError(body: unknown): RpcError | null {
  const holder = Array.isArray(body)
    ? (body.find((entry) => isObject(entry) && entry['error']) as unknown)
    : body;
  const error = isObject(holder) ? holder['error'] : undefined;
  if (typeof error === 'string') return { message: error };
  if (!isObject(error)) return null;
  const { code, message, status, details } = error;
  return {
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof status === 'string' ? { status } : {}),
    details: Array.isArray(details) ? details.filter(isObject) : [],
  };
}

function codeOf(status: number, error: RpcError): ErrorCode {
  const message = error.message ?? '';
  if (status === 400) {
    // Google answers 400 to a refused key, not 401
    if (error.details?.some((detail) => /^API_KEY_|^ACCESS_TOKEN_/.test(detail.reason ?? '')))
      return 'provider_auth';
    // caused by our account or location, not by the request
    if (
      error.status === 'FAILED_PRECONDITION' &&
      /location is not supported|billing|free tier/i.test(message)
    )
      return 'provider_auth';
  }
  return codeOfStatus(status);
}

/** The quotas of a day that are used up, which the message does not tell from those of a minute. */
const spentQuotas = ({ details = [] }: RpcError): string[] =>
  details
    .flatMap(({ violations }) => objectsIn(violations))
    .map(({ quotaId }) => textIn(quotaId))
    .filter((id) => id.includes('PerDay'));

/** Google's RetryInfo (`"37s"`, `"0.5s"`). */
function retryDelayMs(error: RpcError): number | null {
  const delay = error.details?.find((detail) => typeof detail.retryDelay === 'string')?.retryDelay;
  const seconds = Number.parseFloat(delay ?? '');
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds * 1000) : null;
}

/** An error as Google's SDKs read it. */
export function googleErrorBody(status: number, message: string): object {
  const known = Object.entries(statusOfName).find(([, ofName]) => ofName === status)?.[0];
  const name = known ?? (status < 500 ? 'FAILED_PRECONDITION' : 'UNAVAILABLE');
  return { error: { code: status, message, status: name } };
}
