import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type TableMetadata } from 'kysely';
import type { StoreTables } from '../../src/store/sql/tables.js';

/** The tables of an opened database that have a column `account_id`, by name. */
export async function tablesOfAccounts(database: Kysely<StoreTables>): Promise<TableMetadata[]> {
  const tables = await database.introspection.getTables();
  return tables
    .filter(({ columns }) => columns.some(({ name }) => name === 'account_id'))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Primary keys, which the embedded database lets be null, and what refers to them. */
const isKey = (column: string): boolean => /(^|_)(id|hash)$/.test(column);

/** Adds a row of the account to a table; what must have a value gets any, texts are valid JSON. */
export async function addRow(
  database: Kysely<StoreTables>,
  { name, columns }: TableMetadata,
  accountId: string,
): Promise<void> {
  const filled = columns.filter((column) => isKey(column.name) || !column.isNullable);
  const values = filled.map((column) => {
    if (column.name === 'account_id') return accountId;
    if (isKey(column.name)) return randomUUID();
    return /char|text/i.test(column.dataType) ? '[]' : 1;
  });
  await sql`insert into ${sql.table(name)} (${sql.join(filled.map((column) => sql.ref(column.name)))})
    values (${sql.join(values)})`.execute(database);
}

/** The names of the tables that have a row of the account. */
export async function tablesWithRows(
  database: Kysely<StoreTables>,
  tables: readonly TableMetadata[],
  accountId: string,
): Promise<string[]> {
  const names: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)}
      where account_id = ${accountId} limit 1`.execute(database);
    if (rows.length > 0) names.push(name);
  }
  return names;
}
