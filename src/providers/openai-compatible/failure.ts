import type { ErrorCode, GatewayError } from '../../errors.js';
import type { ProviderAdapter, UpstreamHeaders } from '../adapter.js';
import type { OwnError } from '../client-error.js';
import { codeOfStatus, plainReason, providerFailure } from '../failure.js';
import { parseJson } from '../json.js';
import { type Fields, isObject, objectsIn, textIn } from '../../text/is-object.js';

/** What an error body says, whatever its shape. */
interface ErrorContent {
  message: string;
  /** `code`, `type` and `status_code` as the provider wrote them, lower case, joined by a space. */
  kind: string;
  /** The status stated in the body; null if there is none. */
  status: number | null;
  own: OwnError;
  /** What it says that other servers say in headers. */
  headers: UpstreamHeaders;
}

const httpStatus = (value: unknown): number | null => {
  const status = Number(value);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
};

/** FastAPI's list of validation errors, as Mistral and vLLM send it. */
function detailText(detail: unknown): string {
  if (!Array.isArray(detail)) return textIn(detail);
  return detail
    .map((entry) =>
      isObject(entry)
        ? `${Array.isArray(entry['loc']) ? entry['loc'].join('.') : ''} ${textIn(entry['msg'])}`.trim()
        : textIn(entry),
    )
    .join('; ');
}

/**
 * Reads an error body in every shape that these providers are known to send: `{error: {message,
 * type, code}}`, `{error: "…", code}` (xAI, Hugging Face), `{detail}` (Mistral, vLLM), `{message}`,
 * `{errors: […]}`, a list of any of these, or plain text.
 */
function errorContent(body: unknown, raw = ''): ErrorContent {
  if (Array.isArray(body)) return errorContent(body[0], raw);
  if (!isObject(body))
    return { message: plainReason(raw), kind: '', status: null, own: {}, headers: {} };
  const inner = isObject(body['error'])
    ? body['error']
    : isObject(body['detail'])
      ? body['detail']
      : isObject(body['base_resp'])
        ? body['base_resp']
        : body;
  // OpenRouter has there what the provider said
  const { raw: own } = isObject(inner['metadata']) ? inner['metadata'] : {};
  const stated = [messageText(inner['message']), messageText(own)].filter(Boolean).join(': ');
  const message =
    stated ||
    messageText(body['error']) ||
    messageText(inner['error']) ||
    detailText(body['detail']) ||
    messageText(body['message']) ||
    textIn(body['title']) ||
    textIn(body['msg'] ?? body['error_msg']) ||
    textIn(inner['status_msg']) ||
    messageText(body['errors']);
  return {
    message,
    kind: `${textIn(inner['code'])} ${textIn(inner['type'] ?? inner['error_type'])} ${Number(inner['status_code'] ?? 0)}`.toLowerCase(),
    status:
      httpStatus(inner['status_code'] ?? inner['http_status_code']) ??
      httpStatus(inner['status']) ??
      httpStatus(inner['code']) ??
      httpStatus(body['status']),
    own: { code: inner['code'], param: inner['param'], type: inner['type'] },
    headers: headersIn(inner, body),
  };
}

/** OpenRouter repeats headers; others have fields for how many seconds to wait. */
function headersIn(inner: Fields, body: Fields): UpstreamHeaders {
  const { headers } = isObject(inner['metadata']) ? inner['metadata'] : {};
  const details = objectsIn(inner['details'] as Fields[]).map((detail) => detail['retryDelay']);
  const waits = waitFields.map((field) => inner[field] ?? body[field]);
  const wait = [...waits, ...details].find(isWait);
  const repeated = Object.entries(isObject(headers) ? headers : {});
  return {
    ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
    ...Object.fromEntries(
      repeated.map(([name, value]) => [name.toLowerCase(), isWait(value) ? String(value) : '']),
    ),
  };
}

/** ChatGPT; Hugging Face, while it loads a model. Google has a `RetryInfo` in the details. */
const waitFields = ['retry_after', 'retry_after_seconds', 'resets_in_seconds', 'estimated_time'];
const isWait = (value: unknown): value is number | string =>
  typeof value === 'number' || typeof value === 'string';

/** A message is a text, a list of texts or of `{message}`, or Mistral's `{detail}`. */
function messageText(message: unknown): string {
  if (Array.isArray(message)) return message.map(messageText).filter(Boolean).join('; ');
  return isObject(message)
    ? textIn(message['message']) || detailText(message['detail']) || messageText(message['error'])
    : textIn(message);
}

const statusOfKind: readonly (readonly [RegExp, number])[] = [
  // MiniMax's own numbers: limits; keys; what it filters
  [/ (1002|1039|1041|2045)$/, 429],
  [/ (1004|2049)$/, 401],
  [/ (1026|1027|2013)$/, 400],
  [/rate_?limit|too_?many_?requests|insufficient_quota|resource_exhausted|throttl/, 429],
  [/overloaded|unavailable|capacity/, 503],
  [/auth|api_key|permission|forbidden|billing/, 401],
  [/not_?found/, 404],
  [/timeout/, 504],
  [
    /invalid_request|content_filter|content_policy|context_length|tool_use_failed|bad_?request|validation/,
    400,
  ],
];

/** The status of an error sent with status 200: the body's, else by code and type, else null. */
const statusOf = ({ status, kind }: ErrorContent): number | null =>
  status ?? statusOfKind.find(([pattern]) => pattern.test(kind))?.[1] ?? null;

function codeOf(status: number, { message }: ErrorContent): ErrorCode {
  const isRefused = status === 400 || status === 422;
  const names = isRefused && /\bstream(ing)?\b/i.test(message);
  return names && /not (supported|support|available|allowed)|unsupported/i.test(message)
    ? 'stream_refused'
    : codeOfStatus(status);
}

/** The failure of an answer that is not 2xx. */
export const openAIFailure =
  (provider: string): ProviderAdapter['readFailure'] =>
  (status, headers, body) => {
    const content = errorContent(parseJson(body), body);
    return providerFailure({
      provider,
      status,
      headers: { ...content.headers, ...headers },
      reason: content.message,
      own: content.own,
      code: codeOf(status, content),
    });
  };

/** The failure of an error sent with status 200: with `error`, or what `errorIn` returned. */
export function openAIFailureUnder200(provider: string, body: unknown): GatewayError {
  const content = errorContent(body);
  const status = statusOf(content);
  return providerFailure({
    provider,
    status,
    headers: content.headers,
    reason: content.message || 'an error without a message',
    own: content.own,
    code: codeOf(status ?? 500, content),
  });
}

/**
 * Finds the error in a body or an event that came with status 200: `error` (OpenRouter also puts it
 * in a choice); or, where there are no choices, an object of type `error` (vLLM:
 * `{object: "error", message}`) or one with a message. Null if it is an answer.
 */
export function errorIn(body: object): unknown {
  const { error, choices } = body as Fields;
  if (isGiven(error)) return body;
  if (Array.isArray(choices))
    return (
      (choices as unknown[]).find((choice) => isObject(choice) && isGiven(choice['error'])) ?? null
    );
  const { object, type, detail, error_msg: other, msg = other, message = msg } = body as Fields;
  const { errors, base_resp: failed = errors } = body as Fields;
  return object === 'error' ||
    type === 'error' ||
    typeof message === 'string' ||
    detail ||
    // MiniMax reports success so too
    (failed && (failed as Fields)['status_code'] !== 0)
    ? body
    : null;
}

/** Some servers send an error with each answer that is empty, or tells of success. */
const isGiven = (error: unknown): boolean =>
  Boolean(error) &&
  (isObject(error) ? Object.values(error) : [error]).some(
    (value) => !isNone.test(JSON.stringify(value ?? null)),
  );
const isNone = /^(null|false|0|200|"(null|0|200|ok|success|none)?")$/i;
