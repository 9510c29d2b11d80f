import { type Compilable, CompiledQuery, type Insertable, type QueryResult } from 'kysely';
import { stepped } from './columns.js';
import type { Database, StoreTables } from './tables.js';

/**
 * An insert that is compiled once for each number of rows: compiling hundreds of values takes
 * longer than everything else that this process does with them. Every row must have all the
 * columns.
 */
export class RepeatedInsert<Table extends keyof StoreTables, Returned = never> {
  /**
   * By the database's adapter, because one insert may serve both databases, and by the number of
   * rows.
   */
  private readonly statements = new WeakMap<object, Map<number, string>>();

  /** @param build builds the insert for some rows */
  constructor(
    private readonly columns: readonly (keyof Insertable<StoreTables[Table]> & string)[],
    private readonly build: (
      database: Database,
      rows: Insertable<StoreTables[Table]>[],
    ) => Compilable<Returned>,
  ) {}

  /** Inserts any number of rows. @returns the rows that the statements return */
  async run(
    database: Database,
    rows: readonly Insertable<StoreTables[Table]>[],
  ): Promise<Returned[]> {
    const returned: Returned[] = [];
    for (const some of stepped(rows)) {
      const parameters: unknown[] = [];
      // by hand: `flatMap` makes a list for each row
      for (const row of some) for (const column of this.columns) parameters.push(row[column]);
      const result: QueryResult<Returned> = await database.executeQuery(
        CompiledQuery.raw(this.statementFor(database, some), parameters),
      );
      for (const row of result.rows) returned.push(row);
    }
    return returned;
  }

  private statementFor(database: Database, rows: Insertable<StoreTables[Table]>[]): string {
    const { adapter } = database.getExecutor();
    let known = this.statements.get(adapter);
    if (!known) this.statements.set(adapter, (known = new Map<number, string>()));
    let statement = known.get(rows.length);
    if (statement === undefined)
      known.set(
        rows.length,
        (statement = this.build(
          database,
          rows.map((row) => this.inOrder(row)),
        ).compile().sql),
      );
    return statement;
  }

  /** Kysely binds values in the order of the columns of the first row. */
  private inOrder(row: Insertable<StoreTables[Table]>): Insertable<StoreTables[Table]> {
    return Object.fromEntries(this.columns.map((column) => [column, row[column]])) as Insertable<
      StoreTables[Table]
    >;
  }
}
