import { type Kysely, sql, type SqlBool } from 'kysely';
import type {
  ChoiceDay,
  ChoiceFilter,
  ChoiceGrouping,
  ChoiceStore,
  ChoiceSums,
  KeyRatings,
} from '../../contracts/choices.js';
import {
  choiceKey,
  choiceRowsOf,
  choiceSums,
  fromChoiceColumns,
  type SumColumns,
} from './choice-rows.js';
import { RepeatedInsert } from '../repeated-insert.js';
import { clean } from '../columns.js';
import type { ChoiceDayTable, StoreTables } from '../tables.js';
import { selected } from './shadows.js';
import { transact } from '../transact.js';
import { dayOf } from '../usage/usage.js';

const groupColumns = { preference: 'preference_id', key: 'key_id', model: 'chosen' } as const;
const wholeSums: ReadonlySet<string> = new Set(['choices', 'priced']);

const insertSums = new RepeatedInsert<'choice_days'>(
  [...choiceKey, ...choiceSums],
  (database, rows) =>
    database
      .insertInto('choice_days')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns([...choiceKey])
          .doUpdateSet((eb) =>
            Object.fromEntries(
              choiceSums.map((column) => [
                column,
                eb(`choice_days.${column}`, '+', eb.ref(`excluded.${column}`)),
              ]),
            ),
          ),
      ),
);

/** The sums of choices in SQL. */
export function createChoiceStore(database: Kysely<StoreTables>): ChoiceStore {
  return {
    async add(sums) {
      await transact(database, (transaction) => insertSums.run(transaction, choiceRowsOf(sums)));
    },
    sums: (filter, by, groups) => sumChoices(database, filter, by, groups),
    groups: (filter, by, limit) => largestGroups(database, filter, by, limit),
    ratings: (filter) => sumRatings(database, filter),
    async days(accountId) {
      const rows = await database
        .selectFrom('choice_days')
        .select('day')
        .distinct()
        .where('account_id', '=', clean(accountId))
        .orderBy('day')
        .execute();
      return rows.map(({ day }) => day);
    },
    async day(accountId, day) {
      const rows = await database
        .selectFrom('choice_days')
        .selectAll()
        .where('account_id', '=', clean(accountId))
        .where('day', '=', clean(day))
        .execute();
      return rows.map(dayFromColumns);
    },
  };
}

async function sumChoices(
  database: Kysely<StoreTables>,
  filter: ChoiceFilter,
  by: ChoiceGrouping | null,
  groups: readonly string[] | null,
): Promise<ChoiceSums[]> {
  if (groups?.length === 0) return [];
  const column = by === null ? null : groupColumns[by];
  const grouped = ['chosen', 'candidate', 'measured'] as const;
  let query = database
    .selectFrom('choice_days')
    .select([...grouped])
    .select((column === null ? sql<string>`''` : sql.ref<string>(column)).as('group'))
    .select(choiceSums.map((name) => summed(name)))
    .where(selects(filter))
    .groupBy(column === null ? [...grouped] : [...grouped, column])
    // what was counted before its answer was known, and taken back when it was, leaves nothing
    .having(sql<SqlBool>`sum(choices) > 0`);
  if (column !== null && groups) query = query.where(column, 'in', groups.map(clean));
  const rows = (await query.execute()) as (SumColumns & { readonly group: string })[];
  return rows.map((row) => ({ group: row.group, ...fromChoiceColumns(row) }));
}

const summed = (column: (typeof choiceSums)[number]) =>
  wholeSums.has(column)
    ? sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(column)
    : sql<number>`sum(${sql.ref(column)})`.as(column);

async function largestGroups(
  database: Kysely<StoreTables>,
  filter: ChoiceFilter,
  by: ChoiceGrouping,
  limit: number,
): Promise<string[]> {
  const column = groupColumns[by];
  const rows = await database
    .selectFrom('choice_days')
    .select(`${column} as group`)
    .where(selects(filter))
    // each choice has one such row
    .whereRef('chosen', '=', 'candidate')
    .groupBy(column)
    .having(sql<SqlBool>`sum(choices) > 0`)
    .orderBy(sql`sum(choices)`, 'desc')
    .orderBy(column)
    .limit(limit)
    .execute();
  return rows.map(({ group }) => group);
}

/** Ratings of one answer count as one, with their mean, so that repeating them adds no certainty. */
async function sumRatings(
  database: Kysely<StoreTables>,
  filter: ChoiceFilter,
): Promise<KeyRatings[]> {
  const { rows } = await sql<KeyRatings>`select account_id as "accountId", key as "keyId",
      rated_model as model, sum(share) as answers, sum(share * difference) as difference,
      sum(share * difference * difference) as squares
    from (
      select account_id, key, rated_model, difference, cast(1 as double precision)
        / count(*) over (partition by account_id, rated_model, answer) as share
      from (
        select account_id, coalesce(key_id, '') as key, provider || '/' || model as rated_model,
          coalesce(response_id, session_id, id) as answer, avg(score - predicted) as difference
        from feedback
        where predicted is not null and score is not null and provider is not null
          and model is not null and ${selected(filter, 'feedback')}
        group by account_id, coalesce(key_id, ''), provider || '/' || model,
          coalesce(response_id, session_id, id)
      ) as answers
    ) as rated group by account_id, key, rated_model
    order by account_id, key, rated_model`.execute(database);
  return rows.map((row) => ({ ...row }));
}

function selects({ accountId, keyIds, from, to }: ChoiceFilter) {
  const conditions = [sql`1 = 1`];
  if (accountId !== null) conditions.push(sql`account_id = ${clean(accountId)}`);
  if (keyIds)
    conditions.push(
      keyIds.length === 0 ? sql`1 = 0` : sql`key_id in (${sql.join(keyIds.map(clean))})`,
    );
  if (typeof from === 'number') conditions.push(sql`day >= ${dayOf(from)}`);
  if (typeof to === 'number') conditions.push(sql`day <= ${dayOf(to - 1)}`);
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

const dayFromColumns = ({
  account_id: _account,
  day,
  key_id: keyId,
  preference_id: preferenceId,
  ...row
}: ChoiceDayTable): ChoiceDay => ({
  day,
  keyId: keyId || null,
  preferenceId: preferenceId || null,
  ...fromChoiceColumns(row),
});
