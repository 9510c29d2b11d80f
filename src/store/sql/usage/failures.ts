import { sql } from 'kysely';
import type { FailureGroup, RequestFilter } from '../../contracts/requests.js';
import type { Database } from '../tables.js';
import { selects } from './select-requests.js';
import { keyNames } from './usage.js';

/** Groups by code, provider and key. */
const maxRows = 2_000;

interface KeyFailures {
  readonly code: string;
  readonly provider: string | null;
  readonly key_id: string | null;
  readonly requests: number;
  readonly last_at: number;
}

/** See `RequestStore.failures`. Reads the index of failed requests. */
export async function groupFailures(
  database: Database,
  filter: RequestFilter,
  limit: number,
): Promise<FailureGroup[]> {
  const { rows } = await sql<KeyFailures>`
    select code, provider, key_id, cast(count(*) as bigint) as requests, max(at) as last_at
    from requests where code is not null and ${selects(filter)}
    group by code, provider, key_id order by 4 desc limit ${maxRows}`.execute(database);
  const byGroup = new Map<string, KeyFailures[]>();
  for (const row of rows) byGroup.set(groupOf(row), [...(byGroup.get(groupOf(row)) ?? []), row]);
  const groups = [...byGroup.values()]
    .map((ofKeys) => ({ ofKeys, requests: ofKeys.reduce((sum, one) => sum + one.requests, 0) }))
    .sort((one, other) => other.requests - one.requests)
    .slice(0, limit);
  const shown = groups.flatMap(({ ofKeys }) => ofKeys);
  const [names, newest] = await Promise.all([
    keyNames(database, shown),
    newestOf(
      database,
      filter,
      groups.map(({ ofKeys }) => Math.max(...ofKeys.map(({ last_at }) => last_at))),
    ),
  ]);
  return groups.flatMap(({ ofKeys, requests }) => {
    const [{ code, provider }] = ofKeys as [KeyFailures];
    const last = newest.get(groupOf({ code, provider }));
    const keys = ofKeys.map((one) => ({
      keyId: one.key_id,
      keyName: names.get(one.key_id ?? '') ?? null,
      requests: one.requests,
    }));
    return last ? [{ code, provider, requests, last, keys }] : [];
  });
}

const groupOf = ({ code, provider }: Pick<KeyFailures, 'code' | 'provider'>): string =>
  JSON.stringify([code, provider]);

/** The newest request of each group, by the times at which these were. */
async function newestOf(
  database: Database,
  filter: RequestFilter,
  times: readonly number[],
): Promise<ReadonlyMap<string, FailureGroup['last']>> {
  if (times.length === 0) return new Map();
  const rows = await database
    .selectFrom('requests')
    .select(['id', 'at', 'error', 'status', 'model', 'code', 'provider'])
    .where('requests.code', 'is not', null)
    .where('requests.at', 'in', times)
    .where(selects(filter))
    .orderBy('requests.at')
    .execute();
  return new Map(
    rows.map(({ code, provider, ...last }) => [groupOf({ code: code ?? '', provider }), last]),
  );
}
