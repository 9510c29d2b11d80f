import { type Kysely, type Migration, sql } from 'kysely';

const text = 'text';
const whole = 'bigint';

/** What accounts and preferences learn from their own traffic. */
export const learnings: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('learnings')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('preference_id', text, (column) => column.notNull())
      .addColumn('state', text)
      .addColumn('updated_at', whole, (column) => column.notNull())
      .addColumn('revision', whole, (column) => column.notNull())
      .addPrimaryKeyConstraint('learnings_key', ['account_id', 'preference_id'])
      .execute();
    await database.schema
      .createIndex('learnings_by_revision')
      .on('learnings')
      .columns(['revision'])
      .execute();
    await database.schema
      .createIndex('learnings_by_age')
      .on('learnings')
      .columns(['updated_at'])
      .execute();
    await database.schema
      .createIndex('feedback_by_response')
      .on('feedback')
      .columns(['response_id'])
      .execute();
    await sql`insert into revisions (topic, revision) values ('learnings', 0)`.execute(database);
  },
};
