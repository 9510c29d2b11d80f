import type { ErrorCode } from '../../src/errors.js';

/**
 * When each error occurs, for the table in docs/http-api.md. A new code does not compile without a
 * line here.
 */
export const errorMeanings: Record<ErrorCode, string> = {
  malformed_json: 'The body is not valid JSON.',
  bad_request: 'A field is invalid, on model selection and on the OpenAI surface.',
  unauthorized: 'The request has no valid key. The gateway answers before it reads the body.',
  budget_too_small:
    'The budget of the key cannot pay for the request even if nothing is spent. The message says what is needed and which `max_tokens` fits. Sent with `x-should-retry: false`.',
  forbidden:
    'The key lacks the scope, may not use the model or may not use pass-through; sign-up is closed; or a page of another site sent the request.',
  not_found:
    'The path, provider, conversation, preference or session does not exist, or belongs to another account.',
  method_not_allowed: 'The path exists, but not with this method. `Allow` lists the methods.',
  conflict:
    'The mail address already has an account, the last administrator would lose access, or the answer for an `Idempotency-Key` is no longer kept.',
  payload_too_large: 'The body exceeds `limits.maxBodyBytes`.',
  unsupported_media_type: 'The content type is not JSON.',
  misdirected_request:
    'A request without a valid key names a host that is neither `localhost`, an IP address, the host of `publicUrl` nor one of `allowedHosts`.',
  idempotency_key_reused: 'Another request was sent with this `Idempotency-Key`.',
  validation_failed: 'A field of a native completion or of a resource is invalid.',
  upgrade_required:
    'The request would open a WebSocket, at `/v1/responses` or below `/proxy`. The same request over HTTP is answered.',
  too_many_requests:
    'The key reached a limit, which the message names, or too many sign-ins failed.',
  budget_spent:
    'The budget of the key is spent and the wait exceeds one minute. Sent with `x-should-retry: false`; on the OpenAI surface the code is `insufficient_quota`.',
  client_closed:
    'The client disconnected. Only logs and metrics show it. The gateway cancels the upstream call.',
  internal: 'The gateway has a bug. It logs the cause.',
  not_implemented: 'The provider does not support pass-through.',
  overloaded:
    'Too much is in progress, here or at every provider that could answer. `Retry-After` says when to try again. See [Load](reliability.md#load).',
  unavailable:
    'The request needs the database, which is unreachable, or too many sign-ins run at once.',
  connection_failed:
    'DNS, connect, TLS or socket failure, or a stream that ended without its end marker.',
  upstream_error: 'The provider answered 408, 409, 424, 425 or 5xx.',
  upstream_overloaded: 'The provider answered 503 or 529.',
  rate_limited:
    'The provider answered 429. The gateway tries another key of the provider, or waits up to 8 seconds.',
  unreadable_answer:
    'The answer of the provider is empty or violates its dialect. After two in a row the gateway asks this model only once per request, until an answer can be read.',
  upstream_timeout: 'The first event did not arrive in time, or the stream went silent.',
  provider_auth: 'The provider refused its key (401, 402, 403, or a body that says so).',
  quota_exhausted:
    'The account at the provider has no credit left, or reached its spending limit, whatever status says so. `insufficient_quota` on the OpenAI surface, 402 `billing_error` on Messages.',
  hedge_lost:
    'The other call of a [hedged request](reliability.md#hedged-requests) had the first content, so the gateway cancelled this one. Only the request log and metrics show it.',
  stream_refused: 'The model does not stream. The gateway remembers this.',
  model_not_found:
    'The provider answered 404, 410 or 501, or no configured provider has the model. 422 on the native surface.',
  request_refused:
    "The provider answered another 4xx: it does not accept this request. On the OpenAI surface with the provider's own status.",
  not_configured: 'The request names a provider that is not configured.',
  all_failed: 'Every attempt failed, for different reasons.',
  deadline_exceeded: '`limits.totalTimeoutMs` passed.',
};
