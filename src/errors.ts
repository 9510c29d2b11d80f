/**
 * What to do after a failure, decided by its code alone:
 * `retry` the same candidate again, then the next; `next_key` the same candidate with the provider's next key, then the
 * next candidate; `unstreamed` the same candidate again without streaming; `fallback` the next candidate at once;
 * `stop` nothing more.
 */
export type Recovery = 'retry' | 'next_key' | 'unstreamed' | 'fallback' | 'stop';

interface ErrorKind {
  /** HTTP status when this is the answer to a client. */
  readonly status: number;
  readonly recovery: Recovery;
}

/** Every failure there is. The code is also the metric label, the JSON code and the heading in the documentation. */
const kinds = {
  // the caller's request
  malformed_json: { status: 400, recovery: 'stop' },
  bad_request: { status: 400, recovery: 'stop' },
  unauthorized: { status: 401, recovery: 'stop' },
  payment_required: { status: 402, recovery: 'stop' },
  forbidden: { status: 403, recovery: 'stop' },
  not_found: { status: 404, recovery: 'stop' },
  method_not_allowed: { status: 405, recovery: 'stop' },
  conflict: { status: 409, recovery: 'stop' },
  payload_too_large: { status: 413, recovery: 'stop' },
  unsupported_media_type: { status: 415, recovery: 'stop' },
  validation_failed: { status: 422, recovery: 'stop' },
  too_many_requests: { status: 429, recovery: 'stop' },
  budget_spent: { status: 429, recovery: 'stop' },
  client_closed: { status: 499, recovery: 'stop' },
  // ours
  internal: { status: 500, recovery: 'stop' },
  not_implemented: { status: 501, recovery: 'stop' },
  unavailable: { status: 503, recovery: 'stop' },
  // a provider's, one upstream call each
  connection_failed: { status: 502, recovery: 'retry' },
  upstream_error: { status: 502, recovery: 'retry' },
  upstream_overloaded: { status: 503, recovery: 'retry' },
  rate_limited: { status: 429, recovery: 'retry' },
  unreadable_answer: { status: 502, recovery: 'retry' },
  upstream_timeout: { status: 504, recovery: 'fallback' },
  provider_auth: { status: 502, recovery: 'next_key' },
  stream_refused: { status: 502, recovery: 'unstreamed' },
  model_not_found: { status: 502, recovery: 'fallback' },
  request_refused: { status: 422, recovery: 'fallback' },
  not_configured: { status: 422, recovery: 'fallback' },
  // the whole request
  all_failed: { status: 502, recovery: 'stop' },
  deadline_exceeded: { status: 504, recovery: 'stop' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof kinds;

/** All codes, for closed label sets. */
export const errorCodes = Object.keys(kinds) as ErrorCode[];

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Validation Error',
  429: 'Too Many Requests',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** The title that stands in `error` for a status; an unlisted one reads as the plainest of its class. */
export function statusTitle(status: number): string {
  return (
    titles[status] ?? (status >= 400 && status < 500 ? 'Bad Request' : 'Internal Server Error')
  );
}

/** One failed attempt, as the client is told of it. `status` is the provider's, null where it never answered; `latency` in ms. */
export interface ErrorTraceEntry {
  provider: string;
  model: string;
  error: string;
  status: number | null;
  attempt: number;
  latency: number;
}

export interface GatewayErrorOptions {
  cause?: unknown;
  /** Overrides the code's status (all attempts failed alike, say). */
  status?: number;
  /** Overrides the code's recovery (`x-should-retry: false`). */
  recovery?: Recovery;
  /** What the provider answered, if it answered. */
  upstreamStatus?: number | null;
  /** How long to wait before trying again, in ms. */
  retryAfterMs?: number | null;
  /** The request field at fault, as `messages[0][content]`. */
  field?: string | null;
  errorTrace?: readonly ErrorTraceEntry[];
}

const maxMessageLength = 500;

/** The one error class. A message says who, what and the number; never a prompt, never a key. Cut at 500 characters. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  /** HTTP status for the client; Express and other frameworks read it too. */
  readonly status: number;
  readonly recovery: Recovery;
  readonly upstreamStatus: number | null;
  readonly retryAfterMs: number | null;
  readonly field: string | null;
  readonly errorTrace: readonly ErrorTraceEntry[];

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(
      message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.status = options.status ?? kinds[code].status;
    this.recovery = options.recovery ?? kinds[code].recovery;
    this.upstreamStatus = options.upstreamStatus ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.field = options.field ?? null;
    this.errorTrace = options.errorTrace ?? [];
  }

  /** Whether the same request may succeed later, as a client is told after a broken stream. */
  get retriable(): boolean {
    return (
      this.code !== 'request_refused' &&
      (this.status === 429 || this.status >= 500) &&
      this.status !== 501
    );
  }
}

/** A failed validation: the message is `<field>: <reason>`. */
export function invalidField(
  field: string,
  reason: string,
  code: 'validation_failed' | 'bad_request' | 'not_found' = 'validation_failed',
): GatewayError {
  return new GatewayError(code, `${field}: ${reason}`, { field });
}
