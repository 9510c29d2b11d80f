import { sql, type SqlBool } from 'kysely';
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
import type { ChoiceDayTable, Database } from '../tables.js';
import { selected } from './shadows.js';
import { transact } from '../transact.js';
import { addingTo, summed } from '../sums.js';
import { selectsDays } from '../usage/usage.js';

const groupColumns = { preference: 'preference_id', key: 'key_id', model: 'chosen' } as const;

const insertSums = new RepeatedInsert(
  'choice_days',
  addingTo('choice_days', choiceKey, choiceSums),
  [...choiceKey, ...choiceSums],
);

/** The sums of choices in SQL. */
export const createChoiceStore = (database: Database): ChoiceStore => ({
  async add(sums) {
    await transact(database, (transaction) => insertSums.run(transaction, choiceRowsOf(sums)));
  },
  sums: (filter, by, groups) => sumChoices(database, filter, by, groups),
  async groups(filter, by, limit) {
    const column = groupColumns[by];
    const rows = await database
      .selectFrom('choice_days')
      .select(`${column} as group`)
      .where(selectsDays(filter, 'choice_days'))
      // each choice has one such row
      .whereRef('chosen', '=', 'candidate')
      .groupBy(column)
      .having(sql<SqlBool>`sum(choices) > 0`)
      .orderBy(sql`sum(choices)`, 'desc')
      .orderBy(column)
      .limit(limit)
      .execute();
    return rows.map(({ group }) => group);
  },
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
});

async function sumChoices(
  database: Database,
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
    .where(selectsDays(filter, 'choice_days'))
    .groupBy(column === null ? [...grouped] : [...grouped, column])
    // what was counted before its answer was known, and taken back when it was, leaves nothing
    .having(sql<SqlBool>`sum(choices) > 0`);
  if (column !== null && groups) query = query.where(column, 'in', groups.map(clean));
  const rows = (await query.execute()) as (SumColumns & { readonly group: string })[];
  return rows.map((row) => ({ group: row.group, ...fromChoiceColumns(row) }));
}

/** Ratings of one answer count as one, with their mean, so that repeating them adds no certainty. */
async function sumRatings(database: Database, filter: ChoiceFilter): Promise<KeyRatings[]> {
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
  return rows;
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
