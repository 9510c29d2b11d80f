import type { ErrorCode, GatewayError } from '../../errors.js';
import type { UpstreamHeaders } from '../adapter.js';
import { codeOfStatus, parseJson, providerFailure } from '../failure.js';

interface ErrorWords {
  message: string;
  /** `code` and `type` as the provider wrote them, lower case, joined by a space. */
  kind: string;
  /** A status that the body itself names, if it does. */
  status: number | null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const httpStatus = (value: unknown): number | null => {
  const status = Number(value);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
};

/** FastAPI's list of validation failures, as Mistral and vLLM send it. */
function detailText(detail: unknown): string {
  if (!Array.isArray(detail)) return text(detail);
  return detail
    .map((entry) =>
      isRecord(entry)
        ? `${Array.isArray(entry['loc']) ? entry['loc'].join('.') : ''} ${text(entry['msg'])}`.trim()
        : text(entry),
    )
    .join('; ');
}

/**
 * The words of an error body in every shape the family is known to send: `{error: {message, type, code}}`, `{error: "…", code}`
 * (xAI, Hugging Face), `{detail}` (Mistral, vLLM), `{message}`, `{errors: […]}`, a list of any of these, or plain text.
 */
export function errorWords(body: unknown, raw = ''): ErrorWords {
  if (Array.isArray(body)) return errorWords(body[0], raw);
  if (!isRecord(body))
    return { message: raw.startsWith('<') ? '' : raw.slice(0, 300), kind: '', status: null };
  const inner = isRecord(body['error'])
    ? body['error']
    : isRecord(body['detail'])
      ? body['detail']
      : body;
  const message =
    messageText(inner['message']) ||
    messageText(body['error']) ||
    detailText(body['detail']) ||
    messageText(body['message']) ||
    text(body['title']) ||
    messageText(body['errors']);
  return {
    message,
    kind: `${text(inner['code'])} ${text(inner['type'])}`.toLowerCase(),
    status:
      httpStatus(inner['status_code']) ??
      httpStatus(inner['status']) ??
      httpStatus(inner['code']) ??
      httpStatus(body['status']),
  };
}

/** A message is text, a list of texts or of `{message}`, or with Mistral a `{detail}`. */
function messageText(message: unknown): string {
  if (Array.isArray(message)) return message.map(messageText).filter(Boolean).join('; ');
  return isRecord(message)
    ? text(message['message']) || detailText(message['detail'])
    : text(message);
}

const statusOfKind: readonly (readonly [RegExp, number])[] = [
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

/** The status that an error without one means: the body's own, else by its code and type, else 500. */
export function statusOfWords(words: ErrorWords): number {
  return words.status ?? statusOfKind.find(([pattern]) => pattern.test(words.kind))?.[1] ?? 500;
}

function codeOf(status: number, words: ErrorWords): ErrorCode {
  if (status === 400 || status === 422) {
    // xAI answers 400 to a bad key
    if (
      /invalid_api_key|authentication/.test(words.kind) ||
      /(incorrect|invalid) api key|api key (is )?(not valid|invalid)/i.test(words.message)
    )
      return 'provider_auth';
    if (
      /\bstream(ing)?\b/i.test(words.message) &&
      /not (supported|support|available|allowed)|unsupported/i.test(words.message)
    )
      return 'stream_refused';
  }
  return codeOfStatus(status);
}

/** The failure of an answer that is not 2xx. */
export function openAIFailure(
  provider: string,
  status: number,
  headers: UpstreamHeaders,
  body: string,
): GatewayError {
  const words = errorWords(parseJson(body), body);
  return providerFailure({
    provider,
    status,
    headers,
    reason: words.message,
    code: codeOf(status, words),
  });
}

/** The failure that an error with status 200 means: a body or an event that has `error`, or what `errorIn` has found. */
export function openAIFailureUnder200(provider: string, body: unknown): GatewayError {
  const words = errorWords(body);
  const status = statusOfWords(words);
  return providerFailure({
    provider,
    status,
    reason: words.message || 'an error without a message',
    code: codeOf(status, words),
  });
}

/**
 * What of a body or an event under status 200 is an error, null where it is an answer: `error` itself, with OpenRouter also inside a
 * choice; or, where there are no choices, what is named an error (vLLM: `{object: "error", message}`) or says nothing but a message.
 */
export function errorIn(body: object): unknown {
  const { error, choices, object, type, message, detail } = body as Record<string, unknown>;
  if (error) return body;
  if (!Array.isArray(choices))
    return object === 'error' || type === 'error' || typeof message === 'string' || detail
      ? body
      : null;
  for (const choice of choices) {
    if (!isRecord(choice)) continue;
    if (choice['error']) return choice;
    if (choice['finish_reason'] === 'error')
      return { error: 'the model ended its answer with an error' };
  }
  return null;
}
