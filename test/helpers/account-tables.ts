import { randomUUID } from 'node:crypto';
import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { StoreTables } from '../../src/store/sql/tables.js';

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: number;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

const postgresColumns = sql<Column>`
  select table_name as table, column_name as name, data_type as type,
    case when is_nullable = 'YES' then 1 else 0 end as nullable
  from information_schema.columns where table_schema = 'public'`;

const embeddedColumns = sql<Column>`
  select tables.name as "table", columns.name, columns.type, 1 - columns."notnull" as nullable
  from sqlite_master as tables, pragma_table_info(tables.name) as columns
  where tables.type = 'table'`;

/**
 * The tables of an opened database that have a column `account_id`, by name. Kysely's own
 * introspection passes a boolean, which the store's connections refuse.
 */
export async function tablesOfAccounts(database: Kysely<StoreTables>): Promise<Table[]> {
  const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter;
  const { rows } = await (isPostgres ? postgresColumns : embeddedColumns).execute(database);
  const names = rows.filter(({ name }) => name === 'account_id').map(({ table }) => table);
  return names
    .sort()
    .map((name) => ({ name, columns: rows.filter(({ table }) => table === name) }));
}

/** Primary keys, which the embedded database lets be null, and what refers to them. */
const isKey = (column: string): boolean => /(^|_)(id|hash)$/.test(column);

/** Adds a row of the account to a table; what must have a value gets any, texts are valid JSON. */
export async function addRow(
  database: Kysely<StoreTables>,
  { name, columns }: Table,
  accountId: string,
): Promise<void> {
  const filled = columns.filter((column) => isKey(column.name) || column.nullable === 0);
  const values = filled.map((column) => {
    if (column.name === 'account_id') return accountId;
    if (isKey(column.name)) return randomUUID();
    return /char|text/i.test(column.type) ? '[]' : 1;
  });
  await sql`insert into ${sql.table(name)} (${sql.join(filled.map((column) => sql.ref(column.name)))})
    values (${sql.join(values)})`.execute(database);
}

/** The names of the tables that have a row of the account. */
export async function tablesWithRows(
  database: Kysely<StoreTables>,
  tables: readonly Table[],
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
