import { fill, texts } from '../../texts/texts.js';
import type { Schema } from '../../api/schema.js';

const text = texts.settings;

/** A connection that can be tested. */
export type TestedConnection = Schema<'ConnectionTestRequest'>;

type Connections = Schema<'ConfigurationResponse'>['connections'];

/** All that can be tested; the database always is there. */
export function connectionsOf(connections: Connections): TestedConnection[] {
  const { mail, alerts, redis, providers, engines, toolkits } = connections;
  const named = (kind: TestedConnection['kind'], names: readonly string[]): TestedConnection[] =>
    names.map((name) => ({ kind, name }));
  return [
    { kind: 'database' },
    ...(redis ? [{ kind: 'redis' } as const] : []),
    ...(mail ? [{ kind: 'mail' } as const] : []),
    ...(alerts ? [{ kind: 'alerts' } as const] : []),
    ...named('provider', providers),
    ...named('engine', engines),
    ...named('toolkit', toolkits),
  ];
}

type Settings = Readonly<Record<string, unknown>>;

const partOf = (settings: Settings, name: string): Settings =>
  typeof settings[name] === 'object' && settings[name] !== null ? (settings[name] as Settings) : {};

const periods = [
  'conversationDays',
  'sessionDays',
  'feedbackDays',
  'usageDays',
  'auditDays',
] as const;

/** The rules of sign-up and retention in words, and as the configuration file has them. */
export function rulesOf(settings: Settings) {
  const signUp = partOf(settings, 'auth')['signUp'] === 'open' ? 'open' : 'closed';
  const retention = partOf(settings, 'retention');
  const keepDays = partOf(settings, 'requestLog')['keepDays'];
  const days = (value: unknown): string =>
    typeof value === 'number' ? fill(text.days, { count: value }) : text.forever;
  return {
    rows: [
      { label: text.signUpRule, value: signUp === 'open' ? text.signUpOpen : text.signUpClosed },
      { label: `${text.retention}: ${text.requestLog}`, value: days(keepDays) },
      ...periods.map((period) => ({
        label: `${text.retention}: ${text[period]}`,
        value: days(retention[period]),
      })),
    ],
    yaml: [
      'auth:',
      `  signUp: ${signUp}`,
      'requestLog:',
      `  keepDays: ${String(keepDays)}`,
      'retention:',
      ...periods
        .filter((period) => typeof retention[period] === 'number')
        .map((period) => `  ${period}: ${String(retention[period])}`),
    ].join('\n'),
  };
}

/** Which acts are shown. Days as `YYYY-MM-DD` in the reader's zone; empty: no bound. */
export interface ActFilter {
  readonly act: Act | null;
  readonly from: string;
  readonly to: string;
  /** Of all accounts; false: of one's own. */
  readonly isAll: boolean;
}

/** The start of a day in the reader's zone, or of one that many days later. */
function startOf(day: string, later = 0): number {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + later);
  return at.getTime();
}

/** The parameters of `GET /api/v1/audit`; the last day is shown whole. */
export const filterQuery = ({ act, from, to, isAll }: ActFilter): Record<string, string> => ({
  ...(isAll ? { account: 'all' } : {}),
  ...(act === null ? {} : { act }),
  ...(from === '' ? {} : { from: String(startOf(from)) }),
  ...(to === '' ? {} : { to: String(startOf(to, 1)) }),
});

/** An act that is recorded. */
export type Act = Schema<'AuditResponse'>['act'];

/** What each act is called. */
export const actWords: Readonly<Record<Act, string>> = text.acts;
