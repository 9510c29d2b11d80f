import type { Insertable } from 'kysely';
import type { ChoiceSums, ChosenSums } from '../../contracts/choices.js';
import { clean, fieldsOf } from '../columns.js';
import { sumRows } from '../sums.js';
import type { ChoiceDayTable } from '../tables.js';

/** The columns of the primary key. */
export const choiceKey = [
  'day',
  'account_id',
  'key_id',
  'preference_id',
  'measured',
  'chosen',
  'candidate',
] as const;

/** The columns that are summed, in the order of the figures of `ChosenSums`. */
export const choiceSums = [
  'choices',
  'quality',
  'uncertainty',
  'chosen_quality',
  'chosen_uncertainty',
  'variance',
  'priced',
  'prompt_usd',
  'answer_usd',
  'answer_squares',
  'actual_usd',
  'chosen_prompt_usd',
  'chosen_answer_usd',
  'tokens',
  'expected_tokens',
] as const;

/**
 * The rows of some sums, in the order of their keys, so that two replicas cannot deadlock. Names that
 * are the same once they are clean share a row.
 */
export function choiceRowsOf(sums: readonly ChosenSums[]): Insertable<ChoiceDayTable>[] {
  const rows = sums.flatMap((one) =>
    [...one.candidates].map(([candidate, figures]) => {
      const { day, accountId, keyId, preferenceId, isMeasured, chosen } = one;
      const columns = Object.fromEntries(
        choiceSums.map((column, at) => [column, figures[at] ?? 0]),
      ) as Record<(typeof choiceSums)[number], number>;
      return {
        day,
        account_id: accountId,
        key_id: keyId,
        preference_id: preferenceId,
        measured: isMeasured ? 1 : 0,
        chosen: clean(chosen),
        candidate: clean(candidate),
        ...columns,
      };
    }),
  );
  return sumRows(rows, choiceKey, choiceSums);
}

/** The columns of sums, whatever they are grouped by. */
export type SumColumns = Pick<
  ChoiceDayTable,
  'chosen' | 'candidate' | 'measured' | (typeof choiceSums)[number]
>;

/** The sums of columns. */
export function fromChoiceColumns({ measured, ...row }: SumColumns): Omit<ChoiceSums, 'group'> {
  return { ...fieldsOf<Omit<ChoiceSums, 'group' | 'isMeasured'>>(row), isMeasured: measured === 1 };
}
