import type { Insertable } from 'kysely';
import { type PeriodMeasure, periodTiers } from '../contracts/periods.js';
import type { NewRequest } from '../contracts/requests.js';
import { latencyBucket } from '../latency-buckets.js';
import { RepeatedInsert } from './repeated-insert.js';
import type { Database, UsagePeriodTable } from './tables.js';
import { usageSum } from './usage.js';

/** A row of the table. */
export type PeriodColumns = Insertable<UsagePeriodTable>;

/** The columns of the primary key, in its order. */
export const periodKey = [
  'account_id',
  'at',
  'span_ms',
  'key_id',
  'provider',
  'model',
  'measure',
  'bucket',
] as const;

/** The columns that are summed. */
const periodSums = [
  'requests',
  'errors',
  'prompt_tokens',
  'completion_tokens',
  'cost_usd',
] as const;

const insertPeriods = new RepeatedInsert<'usage_periods'>(
  [...periodKey, ...periodSums],
  (database, rows) =>
    database
      .insertInto('usage_periods')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns([...periodKey])
          .doUpdateSet((eb) =>
            Object.fromEntries(
              periodSums.map((column) => [
                column,
                eb(`usage_periods.${column}`, '+', eb.ref(`excluded.${column}`)),
              ]),
            ),
          ),
      ),
);

/**
 * Adds rows to those that are there. In the order of their keys, so that two replicas cannot
 * deadlock.
 */
export async function addPeriods(
  database: Database,
  rows: readonly PeriodColumns[],
): Promise<void> {
  const sums = new Map<string, PeriodColumns>();
  for (const row of rows) {
    const key = JSON.stringify(periodKey.map((column) => row[column]));
    const sum = sums.get(key);
    if (!sum) sums.set(key, { ...row });
    else for (const column of periodSums) sum[column] += row[column];
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  await insertPeriods.run(database, sorted);
}

/** Surfaces whose requests do not wait for a model, so that their latency says nothing of it. */
const unmeasured: ReadonlySet<string> = new Set(['model_select', 'reported']);
const [{ spanMs } = { spanMs: 60_000 }] = periodTiers;

/** The rows of requests, in periods of the shortest tier: two where the first token was timed. */
export function periodsOf(requests: readonly NewRequest[]): PeriodColumns[] {
  return requests.flatMap((request) => {
    const { day: _day, ...sums } = usageSum(request);
    const at = Math.floor(Math.max(0, request.at) / spanMs) * spanMs;
    const row = (measure: PeriodMeasure, bucket: number): PeriodColumns => ({
      ...sums,
      at,
      span_ms: spanMs,
      measure,
      bucket,
    });
    if (request.code !== null || unmeasured.has(request.surface)) return [row('none', 0)];
    const whole = row('latency', latencyBucket(request.latencyMs));
    if (request.ttftMs === null) return [whole];
    const first = { ...row('ttft', latencyBucket(request.ttftMs)), ...nothing, requests: 1 };
    return [whole, first];
  });
}

const nothing = { errors: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };
