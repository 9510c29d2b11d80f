/**
 * What to try after a failure:
 * `retry`: the same candidate again, then the next;
 * `once`: the same candidate once more, then the next;
 * `next_key`: the same candidate with the provider's next key, then the next candidate;
 * `unstreamed`: the same candidate again without streaming;
 * `fallback`: the next candidate at once;
 * `stop`: nothing.
 */
export type Recovery = 'retry' | 'once' | 'next_key' | 'unstreamed' | 'fallback' | 'stop';

interface ErrorKind {
  /** The HTTP status of the response to the client. */
  readonly status: number;
  readonly recovery: Recovery;
}

/** All failures. The code is also the metric label, the code in JSON and the docs' heading. */
const kinds = {
  // errors in the request
  malformed_json: { status: 400, recovery: 'stop' },
  bad_request: { status: 400, recovery: 'stop' },
  unauthorized: { status: 401, recovery: 'stop' },
  budget_too_small: { status: 402, recovery: 'stop' },
  forbidden: { status: 403, recovery: 'stop' },
  not_found: { status: 404, recovery: 'stop' },
  method_not_allowed: { status: 405, recovery: 'stop' },
  conflict: { status: 409, recovery: 'stop' },
  payload_too_large: { status: 413, recovery: 'stop' },
  unsupported_media_type: { status: 415, recovery: 'stop' },
  misdirected_request: { status: 421, recovery: 'stop' },
  idempotency_key_reused: { status: 422, recovery: 'stop' },
  validation_failed: { status: 422, recovery: 'stop' },
  upgrade_required: { status: 426, recovery: 'stop' },
  too_many_requests: { status: 429, recovery: 'stop' },
  budget_spent: { status: 429, recovery: 'stop' },
  client_closed: { status: 499, recovery: 'stop' },
  // errors of the gateway
  internal: { status: 500, recovery: 'stop' },
  not_implemented: { status: 501, recovery: 'stop' },
  unavailable: { status: 503, recovery: 'stop' },
  // too much is in progress here, or at one provider
  overloaded: { status: 503, recovery: 'fallback' },
  // errors of one upstream call
  connection_failed: { status: 502, recovery: 'retry' },
  upstream_error: { status: 502, recovery: 'retry' },
  upstream_overloaded: { status: 503, recovery: 'retry' },
  rate_limited: { status: 429, recovery: 'retry' },
  unreadable_answer: { status: 502, recovery: 'once' },
  upstream_timeout: { status: 504, recovery: 'fallback' },
  provider_auth: { status: 502, recovery: 'next_key' },
  quota_exhausted: { status: 429, recovery: 'next_key' },
  stream_refused: { status: 502, recovery: 'unstreamed' },
  hedge_lost: { status: 499, recovery: 'stop' },
  model_not_found: { status: 404, recovery: 'fallback' },
  request_refused: { status: 422, recovery: 'fallback' },
  not_configured: { status: 422, recovery: 'fallback' },
  // failures of all attempts together
  all_failed: { status: 502, recovery: 'stop' },
  deadline_exceeded: { status: 504, recovery: 'stop' },
} as const satisfies Record<string, ErrorKind>;

/** The code of a failure. */
export type ErrorCode = keyof typeof kinds;

/** All error codes, for closed sets of labels. */
export const errorCodes = Object.keys(kinds) as ErrorCode[];

/**
 * Who ended a failed request: the `provider` failed; it was `refused`, by its key, its budget or what
 * it asks, or the gateway could not serve it; or its `client` left. Only the first says something of
 * a provider or a model.
 */
export const failureSides = ['provider', 'refused', 'client'] as const;
export type FailureSide = (typeof failureSides)[number];

const providerFailures: ReadonlySet<string> = new Set<ErrorCode>([
  'connection_failed',
  'upstream_error',
  'upstream_overloaded',
  'rate_limited',
  'unreadable_answer',
  'upstream_timeout',
  'provider_auth',
  'quota_exhausted',
  'stream_refused',
  'all_failed',
  'deadline_exceeded',
]);

/** Who ended a request with this error code. */
export function failureSide(code: string): FailureSide {
  if (code === 'client_closed') return 'client';
  return providerFailures.has(code) ? 'provider' : 'refused';
}

/** The codes of requests that this side ended. */
export const codesOf = (side: FailureSide): ErrorCode[] =>
  errorCodes.filter((code) => failureSide(code) === side);

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
  421: 'Misdirected Request',
  422: 'Validation Error',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** The text of the field `error` for a status; an unlisted status has the title of 400 or 500. */
export const statusTitle = (status: number): string =>
  titles[status] ?? (status >= 400 && status < 500 ? 'Bad Request' : 'Internal Server Error');

/** A failed attempt as clients see it. `status`: the provider's, null if none; `latency`: ms. */
export interface ErrorTraceEntry {
  provider: string;
  model: string;
  error: string;
  status: number | null;
  attempt: number;
  latency: number;
}

/**
 * What clients of OpenAI's dialect branch on, in its vocabulary (`context_length_exceeded`,
 * `model_not_found`), where that says more than the gateway's own code. Null: unknown.
 */
export interface ClientError {
  readonly code: string | null;
  /** The request field that is to blame, as the client's dialect names it. */
  readonly param: string | null;
  readonly type: string | null;
}

/** The details of a GatewayError. */
export interface GatewayErrorOptions {
  cause?: unknown;
  /** Overrides the status of the code (as where all attempts failed with the same one). */
  status?: number;
  /** Overrides the recovery of the code (for example, after `x-should-retry: false`). */
  recovery?: Recovery;
  /** The status with which the provider answered, null if it did not. */
  upstreamStatus?: number | null;
  /** How long to wait before trying again, in ms. */
  retryAfterMs?: number | null;
  /** The request field that is wrong, such as `messages[0][content]`. */
  field?: string | null;
  clientError?: ClientError | null;
  errorTrace?: readonly ErrorTraceEntry[];
  /** What clients read in place of the message, which then has details for operators. */
  publicMessage?: string | null;
}

const maxMessageLength = 500;

/**
 * The only error class. Messages name the actor, the failure and the number, contain neither
 * prompts nor keys, and are cut at 500 characters.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  /** The HTTP status for the client, in the property that Express reads. */
  readonly status: number;
  readonly recovery: Recovery;
  readonly upstreamStatus: number | null;
  readonly retryAfterMs: number | null;
  readonly field: string | null;
  readonly clientError: ClientError | null;
  readonly errorTrace: readonly ErrorTraceEntry[];
  readonly publicMessage: string | null;

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
    this.clientError = options.clientError ?? null;
    this.errorTrace = options.errorTrace ?? [];
    this.publicMessage = options.publicMessage ?? null;
  }

  /** The error as clients may read it. */
  forClients(): GatewayError {
    const { publicMessage } = this;
    if (publicMessage === null) return this;
    const { code, status, recovery, retryAfterMs, field, errorTrace } = this;
    const options = { cause: this, status, recovery, retryAfterMs, field, errorTrace };
    return new GatewayError(code, publicMessage, options);
  }

  /** The same as `status`, for frameworks that read this name (NestJS, Fastify). */
  get statusCode(): number {
    return this.status;
  }

  /** Whether the message may be shown to the client, as error handlers of Connect and Koa ask. */
  get expose(): boolean {
    return this.status < 500;
  }

  /** Whether the same request may succeed later. Sent to clients after a broken stream. */
  get retriable(): boolean {
    return (
      this.code !== 'request_refused' &&
      (this.status === 429 || this.status >= 500) &&
      this.status !== 501
    );
  }
}

/** A failed validation: the message is `<field>: <reason>`. */
export const invalidField = (
  field: string,
  reason: string,
  code: 'validation_failed' | 'bad_request' | 'not_found' = 'validation_failed',
): GatewayError => new GatewayError(code, `${field}: ${reason}`, { field });

/** What was thrown, which may be anything, as an error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** The message of what was thrown, which may be anything. */
export const messageOf = (thrown: unknown): string => asError(thrown).message;
