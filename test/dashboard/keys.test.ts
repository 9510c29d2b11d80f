import { describe, expect, it } from 'vitest';
import { limitWords } from '../../src/dashboard/format/limits.js';
import { snippets } from '../../src/dashboard/pages/connect/snippets.js';
import {
  type ApiKey,
  emptyTerms,
  forecastOf,
  formTermsOf,
  isUsable,
  requestOf,
  stateOf,
} from '../../src/dashboard/pages/keys/key-terms.js';

const key = (changed: Partial<ApiKey> = {}): ApiKey => ({
  object: 'key',
  id: 'k1',
  accountId: 'a1',
  name: 'laptop',
  prefix: 'sk_abcd',
  scopes: ['completions'],
  models: null,
  toolkits: [],
  economy: null,
  limits: {
    requestsPerMinute: null,
    tokensPerMinute: null,
    dayBudgetUsd: null,
    monthBudgetUsd: null,
  },
  createdAt: '2026-05-01T10:00:00Z',
  expiresAt: null,
  previousValidUntil: null,
  revokedAt: null,
  lastUsedAt: null,
  ...changed,
});
const now = Date.parse('2026-05-02T10:00:00Z');

describe('the terms of an API key', () => {
  it('are told in words', () => {
    const limits = {
      requestsPerMinute: 60,
      tokensPerMinute: 20_000,
      dayBudgetUsd: 1.5,
      monthBudgetUsd: null,
    };
    expect(limitWords(key({ limits }).limits)).toBe('60 req/min, 20,000 tokens/min, $1.50 a day');
    expect(limitWords(key().limits)).toBe('no limits');
  });

  it('say when a key no longer opens the gateway', () => {
    const revoked = key({ revokedAt: '2026-05-02T09:00:00Z' });
    const expired = key({ expiresAt: '2026-05-02T09:00:00Z' });
    const ending = key({ expiresAt: '2026-05-03T09:00:00Z' });
    expect([revoked, expired, ending, key()].map((one) => isUsable(one, now))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(stateOf(revoked, now)).toMatch(/^Revoked May 2, 2026/);
    expect(stateOf(expired, now)).toMatch(/^Expired May 2, 2026/);
    expect(stateOf(ending, now)).toMatch(/^Expires May 3, 2026/);
    expect(stateOf(key({ previousValidUntil: '2026-05-03T09:00:00Z' }), now)).toMatch(
      /^The old secret works until/,
    );
    expect(stateOf(key(), now)).toBe('Active');
  });

  it('come back from the form as they were', () => {
    const limits = {
      requestsPerMinute: 5,
      tokensPerMinute: null,
      dayBudgetUsd: null,
      monthBudgetUsd: 9,
    };
    const written = requestOf(formTermsOf(key({ limits, models: ['openai/*'] })));
    expect(written).toEqual({
      name: 'laptop',
      scopes: ['completions'],
      toolkits: [],
      models: ['openai/*'],
      economy: null,
      expiresAt: null,
      limits,
    });
  });

  it('end with the last day of the reader', () => {
    const { expiresAt } = requestOf({ ...emptyTerms, name: 'x', expiresOn: '2026-05-03' });
    const end = new Date(expiresAt ?? '');
    expect([end.getDate(), end.getHours(), end.getMinutes()]).toEqual([3, 23, 59]);
    expect(formTermsOf(key({ expiresAt: expiresAt ?? null })).expiresOn).toBe('2026-05-03');
  });
});

describe('the end of a key', () => {
  it('stays to the second when something else is changed', () => {
    const ending = key({ expiresAt: '2026-05-03T09:00:00.000Z' });
    const terms = formTermsOf(ending);
    expect(requestOf({ ...terms, name: 'desk' }, ending).expiresAt).toBe(ending.expiresAt);
    const later = requestOf({ ...terms, expiresOn: '2026-05-09' }, ending).expiresAt ?? '';
    expect(new Date(later).getHours()).toBe(23);
    expect(requestOf({ ...terms, expiresOn: '' }, ending).expiresAt).toBeNull();
  });
});

describe('the forecast of a budget', () => {
  const long = '2026-01-01T00:00:00Z';
  const at = (time: string) => Date.parse(time);

  it('goes on at the rate since the start of the UTC month or day', () => {
    expect(forecastOf(12, 'month', long, at('2026-11-10T00:00:00Z'))).toEqual({
      usd: 40,
      last: at('2026-11-30T23:59:59.999Z'),
    });
    expect(forecastOf(1, 'day', long, at('2026-11-10T06:00:00Z'))?.usd).toBe(4);
    expect(forecastOf(0, 'day', long, at('2026-11-10T06:00:00Z'))?.usd).toBe(0);
  });

  it('counts the time since the key was made, if that was later', () => {
    const made = '2026-11-20T00:00:00Z';
    expect(forecastOf(1, 'day', null, at('2026-11-10T06:00:00Z'))?.usd).toBe(4);
    expect(forecastOf(10, 'month', made, at('2026-11-25T00:00:00Z'))?.usd).toBe(22);
  });

  it('is not told before a tenth of the time has passed', () => {
    expect(forecastOf(5, 'month', long, at('2026-11-03T23:00:00Z'))).toBeNull();
    expect(forecastOf(5, 'month', long, at('2026-11-04T00:00:00Z'))).not.toBeNull();
    expect(forecastOf(5, 'day', long, at('2026-11-10T02:00:00Z'))).toBeNull();
  });
});

describe('the settings for other programs', () => {
  it('have the address, the key and the model in each', () => {
    const filled = snippets({ url: 'https://llm.example.org/ai', key: 'sk_1', model: 'auto' });
    expect(filled.length).toBeGreaterThan(6);
    for (const { code, program } of filled) {
      expect(code, program).toContain('https://llm.example.org/ai');
      expect(code, program).toContain('sk_1');
    }
    expect(new Set(filled.map(({ program }) => program)).size).toBe(filled.length);
  });

  it('quote what would end a text of the program', () => {
    const [curl] = snippets({ url: 'http://a', key: "it's", model: 'a"b' });
    expect(curl?.code).toContain(`'Authorization: Bearer it'\\''s'`);
    expect(curl?.code).toContain(`{"model":"a\\"b"`);
  });
});
