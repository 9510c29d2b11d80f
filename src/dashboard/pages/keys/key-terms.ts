import type { Schema } from '../../api/schema.js';
import { formatInstant } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { Limits } from '../../format/limits.js';

/** An API key as the gateway lists it. */
export type ApiKey = Schema<'KeyResponse'>;
/** What a form says of a new or changed key. */
type KeyTerms = Schema<'KeyRequest'>;

const text = texts.keys;

/** Whether a key still opens the gateway. */
export const isUsable = ({ revokedAt, expiresAt }: ApiKey, now = Date.now()): boolean =>
  revokedAt === null && (expiresAt === null || new Date(expiresAt).getTime() > now);

/** A key's state in words. */
export function stateOf(key: ApiKey, now = Date.now()): string {
  const { revokedAt, expiresAt, previousValidUntil } = key;
  if (revokedAt !== null) return fill(text.revoked, { at: formatInstant(revokedAt) });
  if (expiresAt !== null)
    return fill(isUsable(key, now) ? text.expires : text.expired, { at: formatInstant(expiresAt) });
  if (previousValidUntil !== null && new Date(previousValidUntil).getTime() > now)
    return fill(text.rotated, { at: formatInstant(previousValidUntil) });
  return text.active;
}

/**
 * What a key or an account will have spent at the end of the UTC day or month, at the rate since its
 * start or since it was made. `last`: the last moment of the period. Null: too early to tell, which
 * is until a tenth of the period has passed.
 */
export function forecastOf(
  spentUsd: number,
  period: 'day' | 'month',
  createdAt: string | null,
  now = Date.now(),
): { readonly usd: number; readonly last: number } | null {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const startOf = (next: 0 | 1): number =>
    period === 'day' ? Date.UTC(year, month, day + next) : Date.UTC(year, month + next);
  const [start, end] = [startOf(0), startOf(1)];
  const passed = now - Math.max(start, createdAt === null ? start : Date.parse(createdAt));
  if (passed < (end - start) / 10) return null;
  return { usd: spentUsd * (1 + (end - now) / passed), last: end - 1 };
}

/** What the fields of the form hold. */
export interface FormTerms extends Limits {
  readonly name: string;
  readonly scopes: string[];
  readonly models: string[];
  readonly toolkits: string[];
  /** The dial of economy; null: as configured. */
  readonly economy: number | null;
  /** `YYYY-MM-DD` in the reader's zone; `''`: never. */
  readonly expiresOn: string;
}

/** The form of a new key. */
export const emptyTerms: FormTerms = {
  name: '',
  scopes: ['completions', 'model-select'],
  models: [],
  toolkits: [],
  economy: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  dayBudgetUsd: null,
  monthBudgetUsd: null,
  expiresOn: '',
};

/** The form with a key's terms. */
export function formTermsOf(key: ApiKey): FormTerms {
  const { name, scopes, models, toolkits, economy, limits, expiresAt } = key;
  const expiresOn = expiresAt === null ? '' : localDay(new Date(expiresAt));
  return { name, scopes, models: models ?? [], toolkits, economy, ...limits, expiresOn };
}

const two = (part: number): string => String(part).padStart(2, '0');
const localDay = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
const isScope = (name: string): name is NonNullable<KeyTerms['scopes']>[number] =>
  ['completions', 'model-select', 'admin'].includes(name);

/**
 * What the form says as the body of a request; a key ends with its last day.
 * @param edited the key that is changed: its end stays to the second unless its day changes
 */
export function requestOf(terms: FormTerms, edited: ApiKey | null = null): KeyTerms {
  const { name, scopes, models, toolkits, economy, expiresOn, ...limits } = terms;
  return {
    ...{ name, toolkits, economy, limits },
    scopes: scopes.filter(isScope),
    models: models.length === 0 ? null : models,
    expiresAt:
      edited && formTermsOf(edited).expiresOn === expiresOn
        ? edited.expiresAt
        : expiresOn === ''
          ? null
          : new Date(`${expiresOn}T23:59:59`).toISOString(),
  };
}
