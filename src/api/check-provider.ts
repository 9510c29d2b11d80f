import { readAnswer } from '../async/read-answer.js';
import type { ProviderConfig } from '../config/config.js';
import type { ProviderAdapter } from '../providers/adapter.js';

const limits = { timeoutMs: 10_000, maxBytes: 65_536 };
const maxSkewMs = 60_000;

/** What one check found. */
export interface HealthFinding {
  readonly state: 'ok' | 'note' | 'problem';
  readonly what: string;
  readonly found: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** A provider and what translates for it. */
export interface CheckedProvider {
  readonly config: ProviderConfig;
  readonly adapter: ProviderAdapter;
}

/** Asks a provider for its models, once with each of its keys. */
export async function checkProvider({
  config,
  adapter,
}: CheckedProvider): Promise<HealthFinding[]> {
  const what = `provider ${config.name}`;
  if (!adapter.passthrough)
    return [{ state: 'note', what, found: 'its requests are signed, so it was not called' }];
  const keys = config.apiKeys.length > 0 ? config.apiKeys : [null];
  const findings: HealthFinding[] = [];
  for (const [index, key] of keys.entries()) {
    const which = keys.length > 1 ? `${what}, key ${index + 1} of ${keys.length}` : what;
    findings.push(...(await checkKey(which, adapter, adapter.passthrough, key)));
  }
  return findings;
}

async function checkKey(
  what: string,
  adapter: ProviderAdapter,
  target: NonNullable<ProviderAdapter['passthrough']>,
  key: string | null,
): Promise<HealthFinding[]> {
  try {
    const sentAt = Date.now();
    const headers = await target.headers(key);
    const { answer, text } = await readAnswer(
      (signal) => fetch(`${target.baseUrl}/models`, { headers, redirect: 'manual', signal }),
      limits,
    );
    return [
      answer.ok ? { state: 'ok', what, found: 'it answers' } : refusal(what, adapter, answer, text),
      ...checkClock(what, answer.headers.get('date'), (sentAt + Date.now()) / 2),
    ];
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return [
      {
        state: 'problem',
        what,
        found: `it cannot be reached: ${key ? reason.replaceAll(key, '[redacted]') : reason}`,
        remedy: 'check its baseUrl, name resolution, firewall and proxy',
      },
    ];
  }
}

function refusal(
  what: string,
  adapter: ProviderAdapter,
  { status, headers }: Response,
  body: string,
): HealthFinding {
  const { code } = adapter.readFailure(status, Object.fromEntries(headers), body);
  if (code === 'provider_auth')
    return {
      state: 'problem',
      what,
      found: `it refuses the key (status ${status})`,
      remedy: "set a valid key in the provider's apiKey or in its environment variable",
    };
  if (code === 'quota_exhausted')
    return {
      state: 'problem',
      what,
      found: `the account has no credit left (status ${status})`,
      remedy: 'add credit, or raise the spending limit, at the provider',
    };
  if (status < 500)
    return { state: 'ok', what, found: `it answers; it has no list of models (status ${status})` };
  return {
    state: 'problem',
    what,
    found: `it answers with status ${status}`,
    remedy: "see the provider's status page",
  };
}

function checkClock(what: string, date: string | null, now: number): HealthFinding[] {
  const skewMs = date === null ? 0 : Date.parse(date) - now;
  if (!(Math.abs(skewMs) > maxSkewMs)) return [];
  return [
    {
      state: 'problem',
      what: 'clock',
      found: `it differs by ${Math.round(Math.abs(skewMs) / 1000)} s from that of ${what}`,
      remedy:
        'synchronise the clock (timedatectl set-ntp true): signed requests and budgets use it',
    },
  ];
}
