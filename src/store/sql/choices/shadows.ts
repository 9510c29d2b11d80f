import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { ChoiceFilter, RatedQuality } from '../../contracts/choices.js';
import type { NewRequest } from '../../contracts/requests.js';
import type {
  ComparedAnswer,
  KeyRatedPairs,
  PairSums,
  ShadowStore,
} from '../../contracts/shadows.js';
import { clean, stepped } from '../columns.js';
import { allOf, namedBy } from '../sums.js';
import type { Database, ShadowTable } from '../tables.js';
import { dayOf } from '../usage/usage.js';

const dayMs = 86_400_000;

/** What was shadowed, in SQL. */
export const createShadowStore = (database: Database): ShadowStore => ({
  pairs: (filter) => sumPairs(database, filter),
  rated: (filter) => sumRated(database, filter),
  async ofPlan(accountId, planId) {
    const row = await database
      .selectFrom('shadows')
      .select('request_id')
      .where('plan_id', '=', clean(planId))
      .where('account_id', '=', clean(accountId))
      .executeTakeFirst();
    return row?.request_id ?? null;
  },
  async spentUsd(day) {
    const from = Date.parse(day);
    const { spent } = await database
      .selectFrom('shadows')
      .select(sql<number>`coalesce(sum(cost_usd), 0)`.as('spent'))
      .where('at', '>=', from)
      .where('at', '<', from + dayMs)
      .executeTakeFirstOrThrow();
    return spent;
  },
  async isAllowed(accountId) {
    const row = await database
      .selectFrom('shadow_refusals')
      .select('at')
      .where('account_id', '=', clean(accountId))
      .executeTakeFirst();
    return row === undefined;
  },
  async allow(accountId, isAllowed, at) {
    const refusal = { account_id: clean(accountId), at };
    if (isAllowed)
      await database
        .deleteFrom('shadow_refusals')
        .where('account_id', '=', refusal.account_id)
        .execute();
    else
      await database
        .insertInto('shadow_refusals')
        .values(refusal)
        .onConflict((conflict) => conflict.column('account_id').doNothing())
        .execute();
  },
});

/** Adds the second answers among some requests. A plan that is stored already is skipped. */
export async function addShadows(database: Database, rows: readonly NewRequest[]): Promise<void> {
  const shadows = rows.flatMap(shadowRowsOf);
  for (const some of stepped(shadows))
    await database
      .insertInto('shadows')
      .values(some)
      .onConflict((conflict) => conflict.column('plan_id').doNothing())
      .execute();
}

function shadowRowsOf(request: NewRequest): Insertable<ShadowTable>[] {
  const { id, accountId, keyId, at, planId, shadow: row } = request;
  if (!row || planId === null) return [];
  const { chosen, shadow, isPair, costUsd } = row;
  const logRatio = Math.log(lengthOf(shadow) / lengthOf(chosen));
  const isMeasured = isPair && Number.isFinite(logRatio);
  return [
    {
      plan_id: clean(planId),
      request_id: id,
      account_id: accountId,
      key_id: keyId ?? '',
      preference_id: row.preferenceId ?? '',
      response_id: clean(row.responseId),
      at,
      chosen: clean(chosen.model),
      shadow: clean(shadow.model),
      pair: isPair ? 1 : 0,
      measured: isMeasured ? 1 : 0,
      chosen_quality: chosen.quality,
      chosen_uncertainty: chosen.uncertainty,
      quality: shadow.quality,
      uncertainty: shadow.uncertainty,
      log_ratio: isMeasured ? logRatio : 0,
      cost_usd: costUsd,
    },
  ];
}

/** Over the predicted length. */
const lengthOf = ({ tokens, expectedTokens }: ComparedAnswer): number => tokens / expectedTokens;

async function sumPairs(database: Database, filter: ChoiceFilter): Promise<PairSums[]> {
  const { rows } = await sql<PairSums>`select chosen, shadow, cast(sum(pair) as bigint) as pairs,
      cast(sum(measured) as bigint) as measured, sum(log_ratio) as "logRatio",
      sum(log_ratio * log_ratio) as "logRatioSquares", sum(cost_usd) as "costUsd"
    from shadows where ${selected(filter, 'shadows')} group by chosen, shadow`.execute(database);
  return rows;
}

/** The figures of single answers by the chosen model, and by the second one. */
type RatedColumns = Omit<KeyRatedPairs, 'singles'> &
  Readonly<Record<`${'first' | 'second'}_${'answers' | 'difference' | 'squares'}`, number>>;

/**
 * Several ratings of one answer count as their mean, as among the ratings of single answers. A pair
 * needs both by one key, because how strict another one is would not cancel out.
 */
async function sumRated(database: Database, filter: ChoiceFilter): Promise<KeyRatedPairs[]> {
  const one = sql`cast(1 as double precision)`;
  const { rows } = await sql<RatedColumns>`with scored as (
      select s.plan_id as plan_id, s.account_id as account, coalesce(f.key_id, '') as key,
        f.provider || '/' || f.model as model, avg(f.score) as score,
        avg(f.score - f.predicted) as difference,
        ${one} / count(*) over (partition by s.plan_id, f.provider || '/' || f.model) as share
      from shadows s join feedback f on f.account_id = s.account_id
        and (f.session_id = s.plan_id or f.response_id = s.response_id)
      where s.pair = 1 and f.score is not null and f.predicted is not null
        and ${selected(filter, 's')} and ${within(filter, 'f')}
      group by s.plan_id, s.account_id, coalesce(f.key_id, ''), f.provider || '/' || f.model
    ), paired as (
      select a.account, a.key, s.chosen, s.shadow, s.uncertainty, s.chosen_uncertainty,
        (b.score - s.quality) - (a.score - s.chosen_quality) as difference,
        a.difference as first, a.share as first_share, b.difference as second,
        b.share as second_share, ${one} / count(*) over (partition by s.plan_id) as share
      from shadows s
        join scored a on a.plan_id = s.plan_id and a.model = s.chosen
        join scored b on b.plan_id = s.plan_id and b.model = s.shadow and b.key = a.key
    )
    select account as "accountId", key as "keyId", chosen, shadow, sum(share) as pairs, sum(share * difference) as difference,
      sum(share * difference * difference) as squares, sum(share * uncertainty) as uncertainty,
      sum(share * chosen_uncertainty) as "chosenUncertainty", sum(first_share) as first_answers,
      sum(first_share * first) as first_difference,
      sum(first_share * first * first) as first_squares, sum(second_share) as second_answers,
      sum(second_share * second) as second_difference,
      sum(second_share * second * second) as second_squares
    from paired group by account, key, chosen, shadow`.execute(database);
  return rows.map(ratedOf);
}

function ratedOf(row: RatedColumns): KeyRatedPairs {
  const { accountId, keyId, chosen, shadow, pairs, difference, squares } = row;
  const { uncertainty, chosenUncertainty } = row;
  const singles = [singleOf(row, 'first', chosen), singleOf(row, 'second', shadow)];
  const sums = { pairs, difference, squares, uncertainty, chosenUncertainty };
  return { accountId, keyId, chosen, shadow, ...sums, singles };
}

const singleOf = (row: RatedColumns, place: 'first' | 'second', model: string): RatedQuality => ({
  model,
  answers: row[`${place}_answers`],
  difference: row[`${place}_difference`],
  squares: row[`${place}_squares`],
});

/** Rows of the account and keys of a filter, and within its period, by `at`. */
export const selected = (filter: ChoiceFilter, table: string): RawBuilder<unknown> =>
  allOf([within(filter, table), ...namedBy(filter, table)]);

/** Whole UTC days, as for sums of choices. */
function within({ from, to }: ChoiceFilter, table: string): RawBuilder<unknown> {
  const at = sql.ref(`${table}.at`);
  const conditions: RawBuilder<unknown>[] = [];
  if (typeof from === 'number') conditions.push(sql`${at} >= ${Date.parse(dayOf(from))}`);
  if (typeof to === 'number') conditions.push(sql`${at} < ${Date.parse(dayOf(to - 1)) + dayMs}`);
  return allOf(conditions);
}
