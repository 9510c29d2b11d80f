import { type ErrorCode, GatewayError } from '../errors.js';
import type { UpstreamHeaders } from './adapter.js';
import { clientErrorOf, type OwnError, refusalIn } from './client-error.js';

/** The error code for a provider's status whose body says nothing more precise. */
export function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 402 || status === 403) return 'provider_auth';
  if (status === 404 || status === 410 || status === 501) return 'model_not_found';
  if (status === 429) return 'rate_limited';
  // 498: Groq has no room for the service tier
  if (status === 503 || status === 529 || status === 498) return 'upstream_overloaded';
  // 424: the model failed, at Bedrock and in text-generation-inference; 499: what is between us and it
  // says that we left (2026-11)
  if ([408, 409, 424, 425, 499].includes(status) || status >= 500) return 'upstream_error';
  if (status >= 400) return 'request_refused';
  return 'unreadable_answer';
}

/**
 * Whether an answer with this error status is not charged. Google states that for its 400 and 500
 * errors (2026-11), and it is assumed of all providers. 502, 504 and 520-527 are a proxy's words: it
 * did not wait for the model, which may have gone on.
 */
export const isUnbilledStatus = (status: number): boolean =>
  status !== 502 && status !== 504 && !(status >= 520 && status <= 527);

const firstOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };
const duration = '((?:\\d+(?:\\.\\d+)?\\s?[hms][a-z]*\\s?)+)';
const onlyDuration = new RegExp(`^${duration}$`, 'i');
const askedDuration = new RegExp(`(?:try again|retry|wait)\\D{0,20}${duration}`, 'i');

/** How long a text says to wait, as `7m12.5s` or `20 seconds`; in ms, null: it does not say. */
function durationIn(text: string, pattern: RegExp): number | null {
  const [, stated] = pattern.exec(text) ?? [];
  if (stated === undefined) return null;
  const parts = stated.toLowerCase().matchAll(/([\d.]+)\s?(ms|milli|h|m|s)/g);
  return [...parts].reduce(
    (ms, [, count, unit = '']) => ms + Number(count) * (units[unit] ?? 1),
    0,
  );
}

/** More seconds, or ms, than anyone waits: a time since 1970. */
const leastEpoch = 1e9;

/** Seconds, a duration with units, or a time: an HTTP date, RFC 3339, or since 1970 in s or ms. */
function waitIn(written: string | undefined, now: number): number | null {
  // in words, as ISO 8601 writes it, or twice
  const value = written?.trim().replace(/^(?:in |pt)(?=\d)|(?<=^\d{1,9})\s*,.*/gi, '');
  if (!value) return null;
  if (!/^\d+(\.\d+)?$/.test(value)) {
    const date = Date.parse(value);
    return durationIn(value, onlyDuration) ?? (Number.isNaN(date) ? null : Math.max(0, date - now));
  }
  const number = Number(value);
  if (number < leastEpoch) return number * 1000;
  return Math.max(0, (number < leastEpoch * 100 ? number * 1000 : number) - now);
}

/**
 * How long the provider asks us to wait, in ms: `retry-after-ms`, or `retry-after` in seconds, with
 * units or as a time. Never negative; null if neither header is readable.
 */
export function retryAfterMs(headers: UpstreamHeaders, now: number = Date.now()): number | null {
  const exact = Number.parseFloat(firstOf(headers['retry-after-ms']) ?? '');
  if (Number.isFinite(exact)) return Math.max(0, exact);
  return waitIn(firstOf(headers['retry-after']), now);
}

/** OpenAI, Groq, OpenRouter, Cerebras; Anthropic; Mistral; the IETF's draft (2026-11). */
const resetHeader = /rate-?limit.*reset/;

/**
 * When the limits that are used up let requests through again, in ms from now; null: no header tells.
 * Of limits that do not say what is left of them, the first counts.
 */
export function limitResetMs(headers: UpstreamHeaders, now: number = Date.now()): number | null {
  const [spent, unknown]: [number[], number[]] = [[], []];
  for (const name of Object.keys(headers)) {
    if (!resetHeader.test(name)) continue;
    const left = firstOf(headers[name.replace('reset', 'remaining')]);
    const ms = waitIn(firstOf(headers[name]), now);
    if (ms && !(Number(left) > 0)) (left === undefined ? unknown : spent).push(ms);
  }
  if (spent.length > 0) return Math.max(...spent);
  return unknown.length > 0 ? Math.min(...unknown) : null;
}

/**
 * How providers say that the account has no money left (2026-11), most of them as a rate limit or a
 * refused key. Not `You exceeded your current quota`: Gemini says so of each minute's limit.
 */
const outOfCredit = new RegExp(
  [
    'insufficient_(user_)?quota|exceeded_current_quota_error', // OpenAI, Azure, Perplexity; Moonshot
    'insufficient (account )?(balance|credits?|funds)', // DeepSeek, Z.ai; OpenRouter
    'balance (is )?(too low|insufficient|not enough)', // Anthropic; SiliconFlow
    'requires more credits', // OpenRouter
    // xAI, Hugging Face
    '(used all|exceeded|out of|no) (your |available |monthly |included |remaining )*credits?\\b(?! were)',
    'credit limit (exceeded|is insufficient)|arrearage', // Together, new-api; Alibaba
    'free ?tier ?(only|of the model has been exhausted)', // Alibaba
    'overdue ?(error|balance)|add balance|please recharge|credits are depleted', // Volcengine; DeepInfra; StepFun; Google
    'you have depleted your|api calls / month', // Hugging Face; Cohere
    'spend(ing)? limit|\\bbilling_(hard_limit|not_active\\b)', // xAI, OpenAI
    '(not|n.t) have (\\w+ )?credits|requires billing to be', // NVIDIA, xAI; Google
    'invalid_payment_instrument|set inference limit', // AWS; Volcengine
    // subscriptions: Z.ai, MiniMax, ChatGPT, Kimi, Anthropic
    'usage[_ ]limit[_ ](has been )?(reached|exceeded)|(reached|hit) your (\\w+ ){0,3}usage limits?',
    'extra usage is required|out of extra usage', // Claude
    'budget_exceeded|budget has been exceeded|over budget', // LiteLLM
    'token_quota_failed|(额度|余额)不足', // relays
  ].join('|'),
);

const saidIn = ({ reason, own }: ProviderFailure): string =>
  [own?.code, own?.type, reason]
    .filter((one) => typeof one === 'string')
    .join(' ')
    .toLowerCase();

function isOutOfCredit(failure: ProviderFailure): boolean {
  const { status } = failure;
  // MiniMax says so with 500
  if (status !== null && status < 400) return false;
  return outOfCredit.test(saidIn(failure));
}

/** What servers and relays also say with a status of something else (2026-11). */
const saidCodes: readonly (readonly [ErrorCode, RegExp])[] = [
  [
    'rate_limited',
    /rate.?limit.{0,40}(exceed|reach)|(exceed|reach).{0,40}rate.?limit|too many requests|^throttling|过于频繁/,
  ],
  [
    'provider_auth',
    /invalid_?api_?key|\bauth(entication)?_error|(incorrect|invalid|no) api[ -]?(key|token)|api[ -]?key (is )?(not valid|not found|invalid|expired)|access token (is )?(invalid|expired)|token seems invalid|unable to authenticate|(organization|account) has been (disabled|restricted|suspended)/,
  ],
  ['model_not_found', /\bmodel_not_found|无可用渠道|no available channel/],
  // LM Studio; NVIDIA: they call it a bad request
  ['upstream_error', /model has crashed|model (is )?unloaded|degraded function/],
  // llama.cpp: it calls a conversation that the model's template refuses its own error
  ['request_refused', /jinja exception/],
];
/** What a status means that is given to all kinds of failures. */
const vague: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'request_refused',
  'provider_auth',
  'upstream_error',
  'upstream_overloaded',
]);

/** What is known of a provider's failed answer. */
export interface ProviderFailure {
  /** The configured provider's name. */
  provider: string;
  /** Null: 200, and the body says none; 500 is assumed, and the provider may always answer so. */
  status: number | null;
  headers?: UpstreamHeaders;
  /** The provider's own message, or an empty string. */
  reason: string;
  /** What else the body says, for clients that branch on it. */
  own?: OwnError;
  /** Absent: the code of the status. */
  code?: ErrorCode;
  /** A wait that the body states (Google's RetryInfo); null or absent: the headers or the reason. */
  retryAfterMs?: number | null;
}

function codeOf(failure: ProviderFailure, status: number, reason: string): ErrorCode {
  if (isOutOfCredit(failure)) return 'quota_exhausted';
  const code = failure.code ?? codeOfStatus(status);
  // "too many tokens" are also a rate limit
  if (code === 'rate_limited') return code;
  // servers crash over it, and relays give it any status
  const refusal = refusalIn(reason, failure.own);
  const isVague = vague.has(code);
  if (refusal === 'overflow' || (refusal && isVague)) return 'request_refused';
  // 413: one request is more than the limit of a minute
  if (!(isVague || status === 404) || status === 413) return code;
  const said = saidIn(failure);
  const [other] = saidCodes.find(([, pattern]) => pattern.test(said)) ?? [code];
  return other === 'model_not_found' && code === 'request_refused' ? code : other;
}

/** What a failed answer says that is not in the provider's format: text, but no page of a proxy. */
export const plainReason = (body: string): string =>
  body.trimStart().startsWith('<') ? '' : body.slice(0, 300);

/**
 * Builds the error for a provider's failed answer: `groq answered 503: …`. Obeys `x-should-retry:
 * false`. The reason may repeat secrets, which the attempt removes.
 */
export function providerFailure(failure: ProviderFailure): GatewayError {
  const headers = failure.headers ?? {};
  const status = failure.status ?? 500;
  const reason = failure.reason.trim().replace(/\s+/g, ' ');
  const code = codeOf(failure, status, reason);
  const waitMs =
    failure.retryAfterMs ??
    retryAfterMs(headers) ??
    (code === 'rate_limited' ? (durationIn(reason, askedDuration) ?? limitResetMs(headers)) : null);
  // a limit of tokens a minute that one request exceeds never has room for it, and one of a day not soon
  const isSpent =
    // Google tells to wait some seconds for the next day too, and where nothing is free
    /request too large|PerDay|, limit: 0\b(?!\.)/i.test(reason) ||
    (waitMs === null && /\b(per.?day|daily)\b/i.test(reason));
  const isRedirect = status >= 300 && status < 400;
  const mayRetry = firstOf(headers['x-should-retry']) !== 'false' && !isSpent;
  const isRetried =
    code === 'rate_limited' || code === 'upstream_error' || code === 'upstream_overloaded';
  return new GatewayError(
    code,
    `${failure.provider} answered ${status}${reason ? `: ${reason}` : ''}`,
    {
      upstreamStatus: status,
      retryAfterMs: waitMs,
      clientError: clientErrorOf(code, reason, failure.own),
      ...(isRetried && failure.status === null ? { recovery: 'once' } : {}),
      // a redirect is a fault of the configuration
      ...((isRetried && !mayRetry) || isRedirect ? { recovery: 'fallback' } : {}),
    },
  );
}

/** Removes keys from a provider's message, as in "Incorrect API key provided: sk-abc…". */
export const redactKeys = (text: string): string =>
  text
    .replace(/\b(sk|pk|gsk|xai|pplx|nvapi|hf|csk|fw|tgp)[-_][A-Za-z0-9*_.-]{6,}/g, '$1-[redacted]')
    .replace(/\b(AIza|AKIA|ASIA)[-_]?[A-Za-z0-9*_.-]{6,}/g, '$1-[redacted]')
    .replace(/(api key provided:\s*)[^\s"',]+/gi, '$1[redacted]')
    .replace(/(bearer\s+)[^\s"',]{6,}/gi, '$1[redacted]');

/**
 * The error for an answer that could not be understood.
 * @param detail what is wrong with it; must not contain the answer's text
 */
export const unreadable = (provider: string, detail: string, cause?: unknown): GatewayError =>
  new GatewayError('unreadable_answer', `${provider} sent an unreadable answer: ${detail}`, {
    cause,
  });

/** The error for a stream that ended without the provider's end marker. It may always do so. */
export const cutShort = (provider: string): GatewayError =>
  new GatewayError(
    'connection_failed',
    `${provider} ended its stream before the answer was complete`,
    { recovery: 'once' },
  );

/**
 * The error for a request that the provider does not support; the next candidate may support it.
 */
export const unsupported = (provider: string, what: string, field?: string): GatewayError =>
  new GatewayError('request_refused', `${provider} does not support ${what}`, {
    ...(field === undefined ? {} : { field }),
  });
