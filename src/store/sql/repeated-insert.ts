import { CompiledQuery, type Insertable, type QueryResult, type RawBuilder, sql } from 'kysely';
import { stepped } from './columns.js';
import { columnList } from './sums.js';
import type { Database, StoreTables } from './tables.js';

/**
 * An insert that is compiled once for each number of rows: compiling hundreds of values takes
 * longer than everything else that this process does with them. Every row must have all the
 * columns.
 */
export class RepeatedInsert<Table extends keyof StoreTables, Returned = never> {
  /**
   * SQL by the database's adapter, because one insert may serve both databases, and by the number of
   * rows and their columns.
   */
  private readonly statements = new WeakMap<object, Map<string, string>>();

  /** @param end what follows the values @param columns default: those of a call's first row */
  constructor(
    private readonly table: Table,
    private readonly end: RawBuilder<unknown>,
    private readonly columns?: readonly (keyof Insertable<StoreTables[Table]>)[],
  ) {}

  /** Inserts any number of rows. @returns the rows that the statements return */
  async run(
    database: Database,
    rows: readonly Insertable<StoreTables[Table]>[],
  ): Promise<Returned[]> {
    const [first] = rows;
    if (first === undefined) return [];
    const columns = this.columns ?? (Object.keys(first) as (keyof typeof first)[]);
    const returned: Returned[] = [];
    for (const some of stepped(rows)) {
      const parameters: unknown[] = [];
      // by hand: `flatMap` makes a list for each row
      for (const row of some) for (const column of columns) parameters.push(row[column]);
      const result: QueryResult<Returned> = await database.executeQuery(
        CompiledQuery.raw(this.statementFor(database, some.length, columns), parameters),
      );
      for (const row of result.rows) returned.push(row);
    }
    return returned;
  }

  private statementFor(database: Database, rows: number, columns: readonly PropertyKey[]): string {
    const { adapter } = database.getExecutor();
    let known = this.statements.get(adapter);
    if (!known) this.statements.set(adapter, (known = new Map<string, string>()));
    const shape = `${rows} ${columns.map(String).join()}`;
    let statement = known.get(shape);
    if (statement === undefined) {
      const row = sql`(${sql.join(columns.map(() => null))})`;
      const values = sql.join(new Array<typeof row>(rows).fill(row));
      statement = sql`insert into ${sql.table(this.table)} (${columnList(columns.map(String))})
        values ${values} ${this.end}`.compile(database).sql;
      known.set(shape, statement);
    }
    return statement;
  }
}

/** The end of an insert that skips rows whose ids are there. */
export const skipKnown = sql`on conflict (id) do nothing`;
