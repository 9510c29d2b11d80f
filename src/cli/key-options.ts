import type { Command } from 'commander';
import { timeOf } from './command-group.js';
import type { KeyLimits } from '../store/contracts/accounts.js';
import { type KeyChanges, type Scope, scopes } from '../store/contracts/keys.js';

/** The options of `signalbox keys create` and `update`. */
export interface KeyOptions {
  readonly name?: string;
  /** Mail address. Default: the first account. */
  readonly account?: string;
  /** Separated by commas, like `models` and `toolkits`. */
  readonly scopes?: string;
  readonly models?: string;
  readonly toolkits?: string;
  readonly economy?: string;
  /** A date such as `2027-01-31`. */
  readonly expires?: string;
  readonly requestsPerMinute?: string;
  readonly tokensPerMinute?: string;
  readonly dayBudget?: string;
  readonly monthBudget?: string;
}

/** Removes a setting in `signalbox keys update`. */
const none = 'none';

/** What the options of a key change; others are absent. @throws Error that names a wrong option */
export function changesOf(options: KeyOptions): KeyChanges {
  const { name, scopes: scopeNames, models, toolkits, economy, expires } = options;
  const limits = limitsOf(options);
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopeNames === undefined ? {} : { scopes: scopesOf(scopeNames) }),
    ...(models === undefined ? {} : { models: models === none ? null : listOf(models) }),
    ...(toolkits === undefined ? {} : { toolkits: toolkits === none ? [] : listOf(toolkits) }),
    ...(economy === undefined ? {} : { economy: economyOf(economy) }),
    ...(expires === undefined ? {} : { expiresAt: expires === none ? null : dateOf(expires) }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

/** Adds the options of a key to a command. */
export const withSettings = (command: Command): Command =>
  command
    .option('--scopes <list>', 'of completions, model-select and admin')
    .option('--models <globs>', 'models it may use, such as openai/*,<provider>/*')
    .option('--toolkits <globs>', 'toolkits it may use; default: none')
    .option('--economy <n>', '0 (quality decides) to 10 (the price decides)')
    .option('--expires <date>', 'such as 2027-01-31')
    .option('--requests-per-minute <n>', 'requests a minute')
    .option('--tokens-per-minute <n>', 'tokens a minute')
    .option('--day-budget <usd>', 'USD a day (UTC)')
    .option('--month-budget <usd>', 'USD a month (UTC)');

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function scopesOf(text: string): readonly Scope[] {
  const named = listOf(text);
  const unknown = named.find((scope) => !scopes.some((known) => known === scope));
  if (unknown !== undefined || named.length === 0)
    throw new Error(
      `--scopes: unknown scope ${JSON.stringify(unknown ?? '')}; the scopes are ${scopes.join(', ')}`,
    );
  return scopes.filter((scope) => named.includes(scope));
}

function dateOf(text: string): number {
  const at = timeOf('--expires', text);
  if (at <= Date.now()) throw new Error('--expires: must be in the future');
  return at;
}

function limitsOf(options: KeyOptions): Partial<KeyLimits> {
  const { requestsPerMinute, tokensPerMinute, dayBudget, monthBudget } = options;
  const limits = {
    requestsPerMinute: numberOf('--requests-per-minute', requestsPerMinute, true),
    tokensPerMinute: numberOf('--tokens-per-minute', tokensPerMinute, true),
    dayBudgetUsd: numberOf('--day-budget', dayBudget, false),
    monthBudgetUsd: numberOf('--month-budget', monthBudget, false),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** Undefined if the option is absent; null for `none`. */
function numberOf(
  option: string,
  text: string | undefined,
  isWhole: boolean,
): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === none) return null;
  const value = Number(text);
  if (
    text.trim() === '' ||
    !Number.isFinite(value) ||
    value < 0 ||
    (isWhole && (!Number.isSafeInteger(value) || value < 1))
  )
    throw new Error(
      `${option}: must be ${isWhole ? 'a whole number of at least 1' : 'a number of USD'}`,
    );
  return value;
}

/** The dial of economy; null for `none`. */
function economyOf(text: string): number | null {
  const value = text === none ? null : Number(text || NaN);
  if (value === null || (value >= 0 && value <= 10)) return value;
  throw new Error('--economy: must be a number from 0 to 10');
}
