import { type Selectable, sql } from 'kysely';
import { GatewayError } from '../../../errors.js';
import {
  type ByModel,
  type EvaluationRecord,
  type EvaluationStore,
  type FigureChanges,
  maxEvaluations,
} from '../../contracts/evaluations.js';
import { clean, columnsOf, fieldsOf, fromJson } from '../columns.js';
import { readPage } from '../pages.js';
import type { Database, EvaluationTable, Transaction } from '../tables.js';
import { transact } from '../transact.js';

/** How much of a prompt lists show. */
const shownCharacters = 200;

/** The evaluation sets in SQL. */
export const createEvaluationStore = (database: Database): EvaluationStore => ({
  save: (evaluation) => transact(database, (transaction) => save(transaction, evaluation)),
  async find(accountId, id) {
    const row = await rowsOf(database, accountId).where('id', '=', clean(id)).executeTakeFirst();
    return row ? fromColumns(row) : null;
  },
  list: (accountId, page) => {
    const rows = database
      .selectFrom('evaluations')
      .where('account_id', '=', accountId)
      .select(['id', 'account_id', 'request_id', 'at', 'scores', 'costs'])
      .select([
        sql<string>`substr(prompt, 1, ${sql.lit(shownCharacters)})`.as('prompt'),
        sql<number>`length(prompt)`.as('prompt_length'),
      ]);
    return readPage(rows, 'at', page, (row) => ({
      ...fromColumns(row),
      promptLength: row.prompt_length,
    }));
  },
  whole: (accountId, page) => readPage(rowsOf(database, accountId), 'at', page, fromColumns),
  change: (accountId, id, scores) =>
    transact(database, async (transaction) => {
      const rows = rowsOf(transaction, accountId).where('id', '=', clean(id));
      const row = await rows.executeTakeFirst();
      if (!row) return null;
      const before = fromColumns(row);
      return write(transaction, { ...before, scores: changed(before.scores, scores) });
    }),
  async remove(accountId, id) {
    const { numDeletedRows } = await database
      .deleteFrom('evaluations')
      .where('account_id', '=', accountId)
      .where('id', '=', clean(id))
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  },
});

const rowsOf = (database: Database, accountId: string) =>
  database.selectFrom('evaluations').selectAll().where('account_id', '=', accountId);

async function save(
  transaction: Transaction,
  evaluation: EvaluationRecord,
): Promise<EvaluationRecord> {
  const { accountId, scores, costs } = evaluation;
  const inserted = await transaction
    .insertInto('evaluations')
    .values({ ...columnsOf(evaluation), scores: textOf(scores), costs: textOf(costs) })
    .onConflict((conflict) => conflict.columns(['account_id', 'request_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!inserted) return merge(transaction, evaluation);
  const { count } = await transaction
    .selectFrom('evaluations')
    .where('account_id', '=', accountId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count > maxEvaluations)
    throw new GatewayError(
      'conflict',
      `the evaluation set has ${maxEvaluations} prompts already: delete some first`,
    );
  return fromColumns(inserted);
}

async function merge(
  transaction: Transaction,
  { accountId, requestId, scores, costs }: EvaluationRecord,
): Promise<EvaluationRecord> {
  const rows = rowsOf(transaction, accountId).where('request_id', '=', requestId);
  const before = fromColumns(await rows.executeTakeFirstOrThrow());
  return write(transaction, {
    ...before,
    scores: { ...before.scores, ...scores },
    costs: { ...before.costs, ...costs },
  });
}

async function write(
  transaction: Transaction,
  evaluation: EvaluationRecord,
): Promise<EvaluationRecord> {
  const { id, accountId, scores, costs } = evaluation;
  await transaction
    .updateTable('evaluations')
    .set({ scores: textOf(scores), costs: textOf(costs) })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  return evaluation;
}

function changed(figures: ByModel, changes: FigureChanges): ByModel {
  const all = Object.entries({ ...figures, ...changes });
  return Object.fromEntries(
    all.flatMap(([model, figure]) => (figure === null ? [] : [[model, figure]])),
  );
}

const textOf = (figures: ByModel): string => JSON.stringify(figures);

const fromColumns = (row: Selectable<EvaluationTable>): EvaluationRecord => ({
  ...fieldsOf<Omit<EvaluationRecord, 'scores' | 'costs'>>(row),
  scores: fromJson(row.scores) as ByModel,
  costs: fromJson(row.costs) as ByModel,
});
