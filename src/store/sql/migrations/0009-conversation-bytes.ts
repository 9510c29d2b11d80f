import { type Kysely, type Migration, sql } from 'kysely';

/** What each conversation takes, so that an account's storage can be bounded. */
export const conversationBytes: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .alterTable('conversations')
      .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update conversations set bytes = coalesce(
      (select sum(length(content)) from messages where conversation_id = conversations.id), 0)`.execute(
      database,
    );
  },
};
