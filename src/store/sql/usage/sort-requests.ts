import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PageRequest } from '../../contracts/page.js';
import type { RequestFilter, RequestOrder } from '../../contracts/requests.js';
import { clean } from '../columns.js';
import { readValues } from '../pages.js';
import type { StoreTables } from '../tables.js';
import { selects, selectSummaries } from './select-requests.js';

/**
 * The values of each order, in the words of its index: none is a column, by which a filter would choose
 * the index too.
 */
const values: Readonly<Record<RequestOrder, string>> = {
  latency: '(requests.latency_ms + 0)',
  cost: 'coalesce(requests.cost_usd, 0)',
  tokens: '(coalesce(requests.prompt_tokens, 0) + coalesce(requests.completion_tokens, 0))',
};

/**
 * How far the index of an order is read: tens of ms. Each entry costs a read of its row; with fewer
 * entries, more filters would have to read and sort all that they select.
 */
const maxWalked = 4_000;

/**
 * The requests of one page that a filter selects, highest first, and one more. Where the filter
 * selects much, the first rows of the index have a page of them; otherwise what it selects is read
 * and sorted.
 */
export async function sortRequests(
  database: Kysely<StoreTables>,
  filter: RequestFilter,
  { limit, cursor }: PageRequest,
  order: RequestOrder,
) {
  const value = sql.raw(values[order]);
  const behind = cursor === null ? null : readValues(cursor, 2);
  const ofModel = isOfModel(filter);
  // the dearest of all are not of a cheap model
  const first = order === 'cost' ? ofModel : sql<boolean>`1 = 1`;
  const walked = await walk(database, filter, { value, first, behind, limit: limit + 1 });
  // of something that is not the index's value, so that the filter chooses the index
  const sorted = sql<number>`(${value} + 0)`;
  return selectSummaries(database)
    .select(sorted.as('sorted'))
    .where(
      walked.length > limit
        ? sql<boolean>`requests.id in (${sql.join(walked)})`
        : sql<boolean>`${first} and exists (select 1 from requests as known where ${ofModel})
            and ${selects(filter)} and ${isBehind(sorted, behind)}`,
    )
    .orderBy(sorted, 'desc')
    .orderBy('requests.id', 'desc')
    .limit(limit + 1)
    .execute();
}

type Position = readonly (string | number)[] | null;

const isBehind = (value: RawBuilder<unknown>, behind: Position) =>
  behind === null
    ? sql<boolean>`1 = 1`
    : sql<boolean>`(${value}, requests.id) < (${Number(behind[0])}, ${behind[1]})`;

/** In the words of the index of models' costs, by the name alone; true where there is not one model. */
const isOfModel = ({ models }: RequestFilter): RawBuilder<boolean> =>
  models?.length === 1
    ? sql<boolean>`coalesce(model, '') = ${clean(models[0]!.model)}`
    : sql<boolean>`1 = 1`;

interface Walk {
  readonly value: RawBuilder<unknown>;
  /** Of what the index is read. */
  readonly first: RawBuilder<boolean>;
  readonly behind: Position;
  readonly limit: number;
}

/** The ids of what the filter selects among the next rows of the index. */
async function walk(
  database: Kysely<StoreTables>,
  filter: RequestFilter,
  { value, first, behind, limit }: Walk,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select requests.id from (
      select requests.*, ${value} as sorted from requests
      where ${first} and ${isBehind(value, behind)}
      order by ${value} desc, requests.id desc limit ${maxWalked}
    ) as requests
    where ${selects(filter)} order by sorted desc, requests.id desc limit ${limit}
  `.execute(database);
  return rows.map(({ id }) => id);
}
