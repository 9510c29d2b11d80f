import { describe, expect, it } from 'vitest';
import { acts as known } from '../../src/store/contracts/audit.js';
import schema from '../../schemas/audit.response.schema.json' with { type: 'json' };
import { limitWords } from '../../src/dashboard/format/limits.js';
import { texts } from '../../src/dashboard/texts/texts.js';
import {
  actWords,
  connectionsOf,
  filterQuery,
  rulesOf,
} from '../../src/dashboard/pages/settings/rules.js';

const none = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  dayBudgetUsd: null,
  monthBudgetUsd: null,
};

describe('the limits of an account', () => {
  it('are told in few words with their units', () => {
    expect(limitWords(none)).toBe('no limits');
    expect(limitWords({ ...none, requestsPerMinute: 1_200, dayBudgetUsd: 5 })).toBe(
      '1,200 req/min, $5.00 a day',
    );
  });
});

describe('the hint of the claim', () => {
  it('names the command as it is called in a clone and with npm', () => {
    expect(texts.session.claimHint).toMatch(
      /“node dist\/cli\/main\.js accounts claim-code”.*“npx /,
    );
  });
});

describe('the filter of the audit log', () => {
  it('shows the last day whole, in the reader’s zone', () => {
    const query = filterQuery({
      act: 'key.create',
      from: '2026-03-28',
      to: '2026-03-29',
      isAll: true,
    });
    expect(query).toMatchObject({ account: 'all', act: 'key.create' });
    expect(new Date(Number(query['from']))).toEqual(new Date(2026, 2, 28));
    expect(new Date(Number(query['to']))).toEqual(new Date(2026, 2, 30));
  });

  it('asks for nothing where nothing is chosen', () => {
    expect(filterQuery({ act: null, from: '', to: '', isAll: false })).toEqual({});
  });

  it('have words and a place in the schema for each act that is recorded', () => {
    expect(Object.keys(actWords).sort()).toEqual([...known].sort());
    expect([...schema.properties.act.enum].sort()).toEqual([...known].sort());
  });
});

describe('the rules of the configuration', () => {
  it('are shown in words, and as YAML to paste', () => {
    const { rows, yaml } = rulesOf({
      auth: { signUp: 'open' },
      requestLog: { keepDays: 30 },
      retention: { conversationDays: null, sessionDays: 30, feedbackDays: 800 },
    });
    expect(rows[0]).toEqual({ label: 'Sign-up', value: 'open to everyone' });
    expect(rows).toContainEqual({ label: 'Kept for: conversations', value: 'until deleted' });
    expect(yaml).toBe(
      'auth:\n  signUp: open\nrequestLog:\n  keepDays: 30\nretention:\n  sessionDays: 30\n  feedbackDays: 800',
    );
  });

  it('name what can be tested: the database always', () => {
    const connections = {
      mail: false,
      alerts: true,
      redis: true,
      providers: ['a'],
      engines: [],
      toolkits: ['t'],
    };
    expect(connectionsOf(connections)).toEqual([
      { kind: 'database' },
      { kind: 'redis' },
      { kind: 'alerts' },
      { kind: 'provider', name: 'a' },
      { kind: 'toolkit', name: 't' },
    ]);
  });
});

/** All texts of the dashboard, with the paths of their names. */
const saidIn = (part: unknown, path = ''): [string, string][] =>
  typeof part === 'string'
    ? [[path, part]]
    : Object.entries(part as object).flatMap(([name, inner]) => saidIn(inner, `${path}.${name}`));

describe('the words of the dashboard', () => {
  it('are those of the field, not of the program', () => {
    const unplain =
      /receipt|surface|\b[45]xx\b|_failed|of one kind|^no model$|^at least$|^beside|other\//i;
    expect(saidIn(texts).filter(([, words]) => unplain.test(words))).toEqual([]);
    expect(texts.requests.minLatency).toBe('Slower than');
    expect(texts.overview.savings.title).toBe('Savings');
  });
});
