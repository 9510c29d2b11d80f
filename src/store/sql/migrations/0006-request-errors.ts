import { type Kysely, type Migration, sql, type SqlBool } from 'kysely';

const text = 'text';

/**
 * Why requests failed, and indexes for the questions that operators ask: which requests failed, and
 * which belong to a conversation.
 */
export const requestErrors: Migration = {
  async up(database: Kysely<unknown>) {
    const { schema } = database;
    await schema.alterTable('requests').addColumn('error', text).execute();
    await schema.alterTable('requests').addColumn('field', text).execute();
    await schema
      .createIndex('requests_by_failure')
      .on('requests')
      .columns(['at', 'id'])
      .where(sql<SqlBool>`code is not null`)
      .execute();
    await schema
      .createIndex('requests_by_conversation')
      .on('requests')
      .columns(['conversation_id', 'at', 'id'])
      .where(sql<SqlBool>`conversation_id is not null`)
      .execute();
  },
};
