import { type Chosen, choiceKey, choiceSums, sumsOfChoices } from './choice-rows.js';
import { stepped } from './columns.js';
import type { Database } from './tables.js';

/** Adds choices to the sums of their days. */
export async function addChoices(database: Database, rows: readonly Chosen[]): Promise<void> {
  for (const some of stepped(sumsOfChoices(rows)))
    await database
      .insertInto('choice_days')
      .values(some)
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
      )
      .execute();
}
