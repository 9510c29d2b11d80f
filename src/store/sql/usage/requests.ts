import { type Insertable, type Selectable, sql } from 'kysely';
import type {
  NewRequest,
  RequestFilter,
  RequestOrder,
  RequestRow,
  RequestStore,
  RequestSummary,
} from '../../contracts/requests.js';
import type { Page, PageRequest } from '../../contracts/page.js';
import { addPeriods } from './merge-periods.js';
import { clean, fromJson, toJson, wholeOrNull, fieldsOf } from '../columns.js';
import { pageOf, pageOfValues } from '../pages.js';
import { RepeatedInsert, skipKnown } from '../repeated-insert.js';
import { sumRequests } from './request-sums.js';
import { countRequests, requestColumns, selectRequests } from './select-requests.js';
import { groupFailures } from './failures.js';
import { findPlaces, type LogDatabase, namesGroups, sortRequests } from './sort-requests.js';
import { addShadows } from '../choices/shadows.js';
import type { Database, RequestTable } from '../tables.js';
import { transact } from '../transact.js';
import { addUsage, readSpentUsd, sumUsage } from './usage.js';

/** The request log in SQL. */
export const createRequestStore = (
  database: Database,
  kind: LogDatabase['kind'],
): RequestStore => ({
  async add(rows) {
    if (rows.length === 0) return;
    const byId = new Map(rows.map((row) => [row.id, row]));
    const sorted = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    await transact(database, async (transaction) => {
      const inserted = await insertRequests.run(transaction, sorted.map(toRequestColumns));
      const added = inserted.length === sorted.length ? sorted : onlyOf(sorted, inserted);
      const { days, periods } = sumRequests(added);
      await addUsage(transaction, days);
      await addPeriods(transaction, periods);
      await addShadows(transaction, added);
    });
  },
  async find(accountId, id) {
    let query = database.selectFrom('requests').selectAll().where('id', '=', clean(id));
    if (accountId !== null) query = query.where('account_id', '=', accountId);
    const row = await query.executeTakeFirst();
    if (!row) return null;
    const found = Object.assign(shared(row), {
      plan: fromJson(row.plan),
      attempts: fromJson(row.attempts),
      content: fromJson(row.content),
    });
    return { ...found, content: await wholeContent(database, found.accountId, found.content) };
  },
  async some(accountId, ids) {
    if (ids.length === 0) return [];
    const rows = await database
      .selectFrom('requests')
      .select(['id', 'account_id', ...requestColumns, 'plan'])
      .where('id', 'in', ids.map(clean))
      .where('account_id', '=', accountId)
      .execute();
    return rows.map((row) => Object.assign(shared(row), { plan: fromJson(row.plan) }));
  },
  list: (filter, page, order = null) => listRequests({ database, kind }, filter, page, order),
  failures: (filter, limit) => groupFailures(database, filter, limit),
  counts: (filter, grid) => countRequests(database, filter, grid).execute(),
  usage: (filter, by, page) => sumUsage(database, filter, by, page),
  spentUsd: (spender, firstDay, lastDay) => readSpentUsd(database, spender, firstDay, lastDay),
});

/** A request's content may begin with that of an earlier one, and that with another's. */
const maxEarlier = 32;

/** Content as it is stored: the first `count` messages are those of the request `after`. */
interface StoredContent {
  readonly after?: string;
  readonly count?: number;
  readonly messages?: unknown;
}

/** Content with the messages that other rows have; `omitted` counts those whose row is gone. */
async function wholeContent(
  database: Database,
  accountId: string,
  content: unknown,
): Promise<unknown> {
  const { after, count = 0, messages, ...rest } = (content ?? {}) as StoredContent;
  if (after === undefined || !Array.isArray(messages)) return content;
  const whole: unknown[] = [...(messages as unknown[])];
  let [next, missing] = [after as string | undefined, count];
  for (let read = 0; next !== undefined && missing > 0 && read < maxEarlier; read++) {
    const row = await database
      .selectFrom('requests')
      .select('content')
      .where('id', '=', next)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    const earlier = (fromJson(row?.content ?? null) ?? {}) as StoredContent;
    if (!Array.isArray(earlier.messages)) break;
    const [shared, found] = [earlier.count ?? 0, earlier.messages as unknown[]];
    if (missing > shared) whole.unshift(...found.slice(0, missing - shared));
    missing = Math.min(missing, shared);
    next = earlier.after;
  }
  return { ...(missing > 0 ? { omitted: missing } : {}), messages: whole, ...rest };
}

const insertRequests = new RepeatedInsert<'requests', { id: string }>(
  'requests',
  sql`${skipKnown} returning id`,
);

function onlyOf(rows: readonly NewRequest[], inserted: readonly { id: string }[]): NewRequest[] {
  const ids = new Set(inserted.map(({ id }) => id));
  return rows.filter(({ id }) => ids.has(id));
}

async function listRequests(
  log: LogDatabase,
  filter: RequestFilter,
  page: PageRequest,
  order: RequestOrder | null,
): Promise<Page<RequestSummary>> {
  const places = order || namesGroups(filter) ? await findPlaces(log.database, filter) : null;
  if (places?.parts?.length === 0) return { items: [], next: null };
  if (places && (order ?? places.areFew)) {
    const rows = await sortRequests(log, filter, places, page, order ?? 'time');
    return pageOfValues(
      rows,
      page.limit,
      ({ sorted, id }) => [sorted, id],
      ({ sorted: _sorted, ...row }) => summaryFromColumns(row),
    );
  }
  const rows = await selectRequests(log.database, filter, page).execute();
  return pageOf(rows, page.limit, (row) => [row.at, row.id], summaryFromColumns);
}

const toRequestColumns = (row: RequestRow): Insertable<RequestTable> => ({
  id: row.id,
  request_id: clean(row.requestId),
  trace_id: row.traceId,
  account_id: row.accountId,
  key_id: row.keyId,
  surface: row.surface,
  at: Math.round(row.at),
  status: row.status,
  code: row.code,
  error: clean(row.error),
  field: clean(row.field),
  provider: clean(row.provider),
  model: clean(row.model),
  plan_id: row.planId,
  conversation_id: row.conversationId,
  response_id: clean(row.responseId),
  stream: row.stream ? 1 : 0,
  latency_ms: Math.round(row.latencyMs),
  ttft_ms: wholeOrNull(row.ttftMs),
  prompt_tokens: wholeOrNull(row.promptTokens),
  completion_tokens: wholeOrNull(row.completionTokens),
  cost_usd: Number.isFinite(row.costUsd) ? row.costUsd : null,
  estimated_usd: row.estimatedUsd,
  held_usd: row.heldUsd,
  plan: toJson(row.plan),
  attempts: toJson(row.attempts),
  content: toJson(row.content),
});

type SummaryColumns = Omit<Selectable<RequestTable>, 'plan' | 'attempts' | 'content'>;

const summaryFromColumns = (row: SummaryColumns & { key_name: string | null }): RequestSummary =>
  Object.assign(shared(row), { keyName: row.key_name });

function shared({ stream, ...row }: SummaryColumns): Omit<RequestSummary, 'keyName'> {
  return { ...fieldsOf<Omit<RequestSummary, 'keyName' | 'stream'>>(row), stream: stream === 1 };
}
