import type { Kysely, Migration } from 'kysely';

const indexes = {
  // packed rows and others of a span are looked for apart
  usage_periods_by_age: ['usage_periods', 'measure', 'span_ms', 'at'],
  audit_by_act: ['audit', 'act', 'at', 'id'],
} as const;

/**
 * Rows of `usage_periods` that hold the counts of all classes of latency. Rows that are there are
 * packed by the first runs of what merges them. And an index of the audit log by act.
 */
export const packedPeriods: Migration = {
  async up(database: Kysely<unknown>) {
    for (const name of ['latencies', 'first_tokens'])
      await database.schema.alterTable('usage_periods').addColumn(name, 'text').execute();
    await database.schema.dropIndex('usage_periods_by_age').execute();
    for (const [name, [table, ...columns]] of Object.entries(indexes))
      await database.schema.createIndex(name).on(table).columns(columns).execute();
  },
};
