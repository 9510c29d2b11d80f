import { type ErrorCode, GatewayError, type Recovery } from '../errors.js';
import type { UpstreamHeaders } from './adapter.js';

/** The code that a provider's status means where its body says nothing more precise. */
export function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 402 || status === 403) return 'provider_auth';
  if (status === 404 || status === 410 || status === 501) return 'model_not_found';
  if (status === 429) return 'rate_limited';
  if (status === 503 || status === 529) return 'upstream_overloaded';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'upstream_error';
  if (status >= 400) return 'request_refused';
  return 'unreadable_answer';
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/**
 * How long the provider asks us to wait, in ms: `retry-after-ms`, `retry-after` in seconds or as an HTTP date.
 * Null where it says nothing readable; never negative.
 */
export function retryAfterMs(headers: UpstreamHeaders, now: number = Date.now()): number | null {
  const exact = Number.parseFloat(one(headers['retry-after-ms']) ?? '');
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const value = one(headers['retry-after'])?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

export interface ProviderFailure {
  /** The configured provider's name. */
  provider: string;
  status: number;
  headers?: UpstreamHeaders;
  /** The provider's own words, or an empty string. */
  reason: string;
  /** Absent: what the status means. */
  code?: ErrorCode;
  /** A wait that the body named (Google's RetryInfo); the headers are read besides. */
  retryAfterMs?: number | null;
}

/** Builds the error for a provider's failed answer: `groq answered 503: …`. Obeys `x-should-retry: false`. */
export function providerFailure(failure: ProviderFailure): GatewayError {
  const headers = failure.headers ?? {};
  const code = failure.code ?? codeOfStatus(failure.status);
  const reason = failure.reason.trim().replace(/\s+/g, ' ');
  const forbidden = one(headers['x-should-retry']) === 'false';
  const recovery: Recovery | undefined =
    forbidden &&
    (code === 'rate_limited' || code === 'upstream_error' || code === 'upstream_overloaded')
      ? 'fallback'
      : undefined;
  return new GatewayError(
    code,
    `${failure.provider} answered ${failure.status}${reason ? `: ${redactKeys(reason)}` : ''}`,
    {
      upstreamStatus: failure.status,
      retryAfterMs: failure.retryAfterMs ?? retryAfterMs(headers),
      ...(recovery ? { recovery } : {}),
    },
  );
}

/** Some providers repeat the key they refuse ("Incorrect API key provided: sk-abc…"); it must not travel further. */
export function redactKeys(text: string): string {
  return text
    .replace(/\b(sk|pk|gsk|xai|pplx|nvapi|hf|csk|fw|tgp)[-_][A-Za-z0-9*_.-]{6,}/g, '$1-[redacted]')
    .replace(/\b(AIza|AKIA|ASIA)[-_]?[A-Za-z0-9*_.-]{6,}/g, '$1-[redacted]')
    .replace(/(api key provided:\s*)[^\s"',]+/gi, '$1[redacted]')
    .replace(/(bearer\s+)[^\s"',]{6,}/gi, '$1[redacted]');
}

/** The key that a call was made with, taken out of what came back: not every key has a form by which `redactKeys` would know it. */
export function withoutSecret(text: string, secret: string | null): string {
  return secret ? text.replaceAll(secret, '[redacted]') : text;
}

/** The JSON of a body, or null where it is none. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}

/** An answer that could not be understood. `detail` must not hold the answer's text. */
export function unreadable(provider: string, detail: string, cause?: unknown): GatewayError {
  return new GatewayError(
    'unreadable_answer',
    `${provider} sent an answer that cannot be read: ${detail}`,
    { cause },
  );
}

/** A stream that ended without the provider's own end marker. */
export function cutShort(provider: string): GatewayError {
  return new GatewayError(
    'connection_failed',
    `${provider} ended its stream before the answer was whole`,
  );
}
