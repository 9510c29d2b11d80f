import type { ChosenSums } from '../contracts/choices.js';
import { choiceKey, choiceRowsOf, choiceSums } from './choice-rows.js';
import { RepeatedInsert } from './repeated-insert.js';
import type { Database } from './tables.js';

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

/** Adds choices to the sums of their days. */
export async function addChoices(database: Database, sums: readonly ChosenSums[]): Promise<void> {
  await insertSums.run(database, choiceRowsOf(sums));
}
