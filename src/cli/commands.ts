import { backup, migrate } from './database.js';
import { createKey, revokeKey } from './keys.js';
import { listKeys } from './list-keys.js';
import { addAccount, resetAccount } from './accounts.js';
import { train } from './train.js';
import type { Config } from '../config/config.js';
import type { Store } from '../store/contracts/store.js';

/** The options of all commands. */
export const options = {
  config: { type: 'string', short: 'c' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  name: { type: 'string' },
  account: { type: 'string' },
  scopes: { type: 'string' },
  models: { type: 'string' },
  expires: { type: 'string' },
  'requests-per-minute': { type: 'string' },
  'tokens-per-minute': { type: 'string' },
  'day-budget': { type: 'string' },
  'month-budget': { type: 'string' },
  preference: { type: 'string' },
  'prompt-column': { type: 'string' },
  minimize: { type: 'boolean' },
} as const;

/** What was given on the command line. */
export type Values = {
  readonly [Option in keyof typeof options]?: (typeof options)[Option]['type'] extends 'boolean'
    ? boolean
    : string;
};

/** A command that says what it did. */
export interface Command {
  readonly options: readonly (keyof typeof options)[];
  /** How many words it takes after its name at most. */
  readonly words: number;
  /** Works on the database, and returns what to print. */
  run(store: Store, values: Values, word: string | undefined, config: Config): Promise<string>;
}

const bounds = ['requests-per-minute', 'tokens-per-minute', 'day-budget', 'month-budget'] as const;

/** The commands but those that start or check a gateway, by their words. */
export const commands: Readonly<Record<string, Command>> = {
  'keys create': {
    options: ['name', 'account', 'scopes', 'models', 'expires', ...bounds],
    words: 0,
    run: (store, values) => createKey(store, wishesOf(values)),
  },
  'keys list': { options: [], words: 0, run: (store) => listKeys(store) },
  'keys revoke': { options: [], words: 1, run: (store, _values, word) => revokeKey(store, word) },
  'accounts create': {
    options: [],
    words: 1,
    run: (store, _values, word, config) => addAccount(store, word, config),
  },
  'accounts reset': {
    options: [],
    words: 1,
    run: (store, _values, word, config) => resetAccount(store, word, config),
  },
  train: {
    options: ['preference', 'account', 'prompt-column', 'minimize'],
    words: 1,
    run: (store, values, word) =>
      train(store, word, {
        preference: values.preference,
        account: values.account,
        promptColumn: values['prompt-column'],
        minimize: values.minimize,
      }),
  },
  'db migrate': { options: [], words: 0, run: (store) => migrate(store) },
  'db backup': { options: [], words: 1, run: (store, _values, word) => backup(store, word) },
};

function wishesOf(values: Values): Parameters<typeof createKey>[1] {
  const { name, account, scopes, models, expires } = values;
  return {
    name,
    account,
    scopes,
    models,
    expires,
    requestsPerMinute: values['requests-per-minute'],
    tokensPerMinute: values['tokens-per-minute'],
    dayBudget: values['day-budget'],
    monthBudget: values['month-budget'],
  };
}
