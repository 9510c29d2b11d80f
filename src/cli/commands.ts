import { backupCommand, migrateCommand } from './database.js';
import { createKeyCommand, type KeyOptions, revokeKeyCommand } from './keys.js';
import { listKeysCommand } from './list-keys.js';
import {
  claimCodeCommand,
  createAccountCommand,
  promoteAccountCommand,
  resetAccountCommand,
} from './accounts.js';
import { trainCommand } from './train.js';
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
  role: { type: 'string' },
  preference: { type: 'string' },
  'prompt-column': { type: 'string' },
  minimize: { type: 'boolean' },
} as const;

/** The options given on the command line. */
export type Values = {
  readonly [Option in keyof typeof options]?: (typeof options)[Option]['type'] extends 'boolean'
    ? boolean
    : string;
};

/** A command on the database. */
export interface Command {
  readonly options: readonly (keyof typeof options)[];
  /** How many arguments it accepts after its name. */
  readonly maxWords: number;
  /** Runs the command and returns what to print. */
  run(store: Store, values: Values, word: string | undefined, config: Config): Promise<string>;
}

const bounds = ['requests-per-minute', 'tokens-per-minute', 'day-budget', 'month-budget'] as const;

/** All commands by name, except `start` and `check`, which need no database. */
export const commands: Readonly<Record<string, Command>> = {
  'keys create': {
    options: ['name', 'account', 'scopes', 'models', 'expires', ...bounds],
    maxWords: 0,
    run: (store, values) => createKeyCommand(store, keyOptionsOf(values)),
  },
  'keys list': { options: [], maxWords: 0, run: (store) => listKeysCommand(store) },
  'keys revoke': {
    options: [],
    maxWords: 1,
    run: (store, _values, word) => revokeKeyCommand(store, word),
  },
  'accounts create': {
    options: ['role'],
    maxWords: 1,
    run: (store, { role }, email, config) => createAccountCommand(store, { email, role }, config),
  },
  'accounts promote': {
    options: [],
    maxWords: 1,
    run: (store, _values, word) => promoteAccountCommand(store, word),
  },
  'accounts claim-code': { options: [], maxWords: 0, run: (store) => claimCodeCommand(store) },
  'accounts reset': {
    options: [],
    maxWords: 1,
    run: (store, _values, word, config) => resetAccountCommand(store, word, config),
  },
  train: {
    options: ['preference', 'account', 'prompt-column', 'minimize'],
    maxWords: 1,
    run: (store, values, word) =>
      trainCommand(store, word, {
        preference: values.preference,
        account: values.account,
        promptColumn: values['prompt-column'],
        minimize: values.minimize,
      }),
  },
  'db migrate': { options: [], maxWords: 0, run: (store) => migrateCommand(store) },
  'db backup': {
    options: [],
    maxWords: 1,
    run: (store, _values, word) => backupCommand(store, word),
  },
};

function keyOptionsOf(values: Values): KeyOptions {
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
