import { type Kysely, sql, type Transaction } from 'kysely';
import { firstAccountId } from '../contracts/accounts.js';
import { noLimits } from '../contracts/key-limits.js';
import {
  deletedAccountId,
  deletedEmail,
  type RemovalStore,
  type TablesOfAccounts,
} from '../contracts/removal.js';
import { periodKey } from './usage/add-periods.js';
import { choiceKey } from './choices/choice-rows.js';
import { clean } from './columns.js';
import { endAccess } from './accounts/end-access.js';
import { limitColumns } from './accounts/limit-columns.js';
import { foldPeriods } from './usage/merge-periods.js';
import { removeConversations } from './retention.js';
import { raiseRevision } from './revisions.js';
import type { StoreTables } from './tables.js';
import { transact } from './transact.js';

/** The name of a deleted key or preference. */
const deleted = 'deleted';

type Step = (
  transaction: Transaction<StoreTables>,
  accountId: string,
  at: number,
) => Promise<number>;

/** How a table loses the rows of an account, by one of these. */
interface Removal {
  /** At the start, which ends all access. A step may do several tables; it returns the rows. */
  readonly close?: Step;
  /** The primary key of rows that are deleted then, some at a time. */
  readonly key?: readonly string[];
  /** At last: adds the rows to those of deleted accounts. */
  readonly fold?: (transaction: Transaction<StoreTables>, accountId: string) => Promise<boolean>;
}

/** In this order. Null: the rows stay. */
const removals = {
  // each step is a transaction of its own: other writers lock its topic in another order
  api_keys: { close: closeKeys },
  sign_ins: { close: closeKeys },
  password_resets: { close: closeKeys },
  preferences: { close: closePreferences },
  trainings: { close: closePreferences },
  learnings: { close: forgetLearnings },
  conversations: { key: ['id'] },
  research_notes: { key: ['account_id', 'id'] },
  requests: { key: ['id'] },
  selections: { key: ['id'] },
  shadows: { key: ['plan_id'] },
  shadow_refusals: { key: ['account_id'] },
  feedback: { key: ['id'] },
  evaluations: { key: ['id'] },
  choice_days: { key: choiceKey },
  usage_periods: { key: periodKey },
  usage_days: { fold: foldUsage },
  // what was done with accounts is known after they are gone, also that one was deleted
  audit: null,
} satisfies Record<TablesOfAccounts, Removal | null>;

const steps = (Object.entries(removals) as [TablesOfAccounts, Removal | null][]).map(
  ([table, removal]) => ({ table, ...removal }),
);
const closings = new Set(steps.flatMap(({ close }) => close ?? []));

/** The deletion of accounts in SQL. */
export function createRemovalStore(database: Kysely<StoreTables>): RemovalStore {
  return {
    close: async (accountId, at) => {
      const id = clean(accountId);
      let count = 0;
      for (const step of closings)
        count += await transact(database, (transaction) => step(transaction, id, at));
      return count > 0;
    },
    removeRows: (accountId, maxRows) => removeRows(database, clean(accountId), maxRows),
    finish: (accountId, at) =>
      transact(database, (transaction) => finish(transaction, clean(accountId), at)),
  };
}

const counted = ({ numUpdatedRows }: { numUpdatedRows: bigint }): number => Number(numUpdatedRows);

async function closeKeys(
  transaction: Transaction<StoreTables>,
  accountId: string,
  at: number,
): Promise<number> {
  const revision = await raiseRevision(transaction, 'keys');
  await endAccess(transaction, accountId, null);
  const closed = await transaction
    .updateTable('api_keys')
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('revoked_at', 'is', null), eb('name', '!=', deleted)]))
    .set((eb) => ({
      name: deleted,
      prefix: '',
      models: null,
      toolkits: null,
      ...limitColumns(noLimits),
      revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)),
      revision,
    }))
    .executeTakeFirstOrThrow();
  return counted(closed);
}

async function closePreferences(
  transaction: Transaction<StoreTables>,
  accountId: string,
  at: number,
): Promise<number> {
  const revision = await raiseRevision(transaction, 'preferences');
  await transaction.deleteFrom('trainings').where('account_id', '=', accountId).execute();
  const closed = await transaction
    .updateTable('preferences')
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('deleted_at', 'is', null), eb('name', '!=', deleted)]))
    .set({
      name: deleted,
      settings: '{}',
      router: null,
      updated_at: at,
      deleted_at: at,
      revision,
    })
    .executeTakeFirstOrThrow();
  return counted(closed);
}

async function forgetLearnings(
  transaction: Transaction<StoreTables>,
  accountId: string,
  at: number,
): Promise<number> {
  const revision = await raiseRevision(transaction, 'learnings');
  const forgotten = await transaction
    .updateTable('learnings')
    .where('account_id', '=', accountId)
    .where('state', 'is not', null)
    .set({ state: null, updated_at: at, revision })
    .executeTakeFirstOrThrow();
  return counted(forgotten);
}

/** The first table that has rows of the account loses some. */
async function removeRows(
  database: Kysely<StoreTables>,
  accountId: string,
  maxRows: number,
): Promise<number> {
  for (const { table, key } of steps) {
    if (!key) continue;
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const some = sql`(${columns}) in (
      select ${columns} from ${sql.table(table)} where account_id = ${accountId} limit ${maxRows})`;
    const count = await transact(database, async (transaction) => {
      if (table === 'conversations') return removeConversations(transaction, some);
      if (table === 'usage_periods')
        return foldPeriods(transaction, accountId, deletedAccountId, maxRows);
      const { numAffectedRows = 0n } =
        await sql`delete from ${sql.table(table)} where ${some}`.execute(transaction);
      return Number(numAffectedRows);
    });
    if (count > 0) return count;
  }
  return 0;
}

async function finish(
  transaction: Transaction<StoreTables>,
  accountId: string,
  at: number,
): Promise<boolean> {
  let summed = false;
  for (const { fold } of steps)
    summed = ((await fold?.(transaction, accountId)) ?? false) || summed;
  if (accountId !== firstAccountId) {
    const { numDeletedRows } = await transaction
      .deleteFrom('accounts')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n || summed;
  }
  await transaction
    .updateTable('accounts')
    .where('id', '=', accountId)
    .set((eb) => ({
      email: deletedEmail,
      password_hash: null,
      role: 'member',
      disabled_at: eb.fn.coalesce('disabled_at', eb.val(at)),
      ...limitColumns(noLimits),
    }))
    .execute();
  return true;
}

/** Whether there was usage. */
async function foldUsage(
  transaction: Transaction<StoreTables>,
  accountId: string,
): Promise<boolean> {
  await sql`insert into usage_days
    (day, account_id, key_id, provider, model, requests, errors, prompt_tokens, completion_tokens, cost_usd,
      cache_saved_usd)
    select day, ${sql.lit(deletedAccountId)}, '', provider, model, sum(requests), sum(errors),
      sum(prompt_tokens), sum(completion_tokens), sum(cost_usd), sum(cache_saved_usd)
    from usage_days where account_id = ${accountId} group by day, provider, model
    on conflict (day, account_id, key_id, provider, model) do update set
      requests = usage_days.requests + excluded.requests,
      errors = usage_days.errors + excluded.errors,
      prompt_tokens = usage_days.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = usage_days.completion_tokens + excluded.completion_tokens,
      cost_usd = usage_days.cost_usd + excluded.cost_usd,
      cache_saved_usd = usage_days.cache_saved_usd + excluded.cache_saved_usd`.execute(transaction);
  const { numDeletedRows } = await transaction
    .deleteFrom('usage_days')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
