import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tablesOfAccounts } from '../helpers/account-tables.js';
import { libsqlPlace } from '../helpers/stores.js';

it.each(['store/sql/account-tables', 'accounts/export-account'])(
  'every table of a migrated database that has an account_id is in src/%s.ts',
  async (file) => {
    const source = readFileSync(new URL(`../../src/${file}.ts`, import.meta.url), 'utf8');
    const place = libsqlPlace();
    await place.open();
    const names = (await tablesOfAccounts(place.connect())).map(({ name }) => name);
    await place.remove();
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !source.includes(`\n  ${name}: `))).toEqual([]);
  },
);
