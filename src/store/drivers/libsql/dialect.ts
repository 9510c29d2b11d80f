import {
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { LibsqlDriver } from './driver.js';

/** Kysely's dialect for an embedded libsql database in a thread of its own. */
export class LibsqlDialect implements Dialect {
  /** @param path absolute, or `:memory:` */
  constructor(private readonly path: string) {}

  createDriver(): Driver {
    return new LibsqlDriver(this.path);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new SqliteAdapter();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(database);
  }
}
