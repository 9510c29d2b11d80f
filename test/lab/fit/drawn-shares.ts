import { sigmoid } from '../../../src/models/numbers.js';
import type { Cells, Tables } from './tables.js';

type Curves = Pick<Tables, 'ability' | 'discrimination' | 'hardness'>;

/**
 * Rows that a model's ability in general is worth beside its rows in a family, each at its
 * information.
 */
const generalWorth = 4;
/** Rows that an expectation may be worth beside the rows of a task. */
const fewestWorth = 5,
  mostWorth = 1000;
const fewestRows = 10;

/**
 * Shares done well, drawn towards what is expected: a model is as able as in the rest of the task's
 * family. How far, is told by the family itself: where its tasks differ by no more than chance,
 * they are taken as one, and the best of many near equals is not believed.
 */
export function drawnShares(
  families: readonly string[],
  cells: Cells,
  curves: Curves,
): Float32Array {
  const { counts, sums } = cells;
  const expected = new Float64Array(counts.length);
  const worths = new Map<string, number>();
  for (const family of new Set(families)) {
    const tasks = families.flatMap((other, task) => (other === family ? [task] : []));
    expectFamily(tasks, cells, curves, expected);
    worths.set(family, worthOf(tasks, cells, curves.ability.length, expected));
  }
  return Float32Array.from(counts, (count, at) => {
    const worth = worths.get(families[Math.floor(at / curves.ability.length)]!)!;
    return (sums[at]! + worth * expected[at]!) / (count + worth);
  });
}

/** What a family's tasks let expect of each model. */
function expectFamily(
  tasks: readonly number[],
  { counts, odds }: Cells,
  { ability, discrimination, hardness }: Curves,
  expected: Float64Array,
): void {
  const width = ability.length;
  for (let model = 0; model < width; model++) {
    let sum = generalWorth * ability[model]!,
      weight = generalWorth;
    for (const task of tasks) {
      const at = task * width + model;
      if (counts[at] === 0) continue;
      const chance = sigmoid(odds[at]!),
        steepness = discrimination[task]!;
      const told = counts[at]! * chance * (1 - chance) * steepness;
      sum += told * (odds[at]! + hardness[task]!);
      weight += told * steepness;
    }
    for (const task of tasks)
      expected[task * width + model] = sigmoid(
        (discrimination[task]! * sum) / weight - hardness[task]!,
      );
  }
}

/**
 * How many rows an expectation is worth: the variance of one row over that of the tasks beyond
 * chance (method of moments).
 */
function worthOf(
  tasks: readonly number[],
  { counts, sums }: Cells,
  width: number,
  expected: Float64Array,
): number {
  let beyond = 0,
    single = 0,
    cells = 0;
  for (const task of tasks) {
    for (let model = 0; model < width; model++) {
      const at = task * width + model,
        count = counts[at]!;
      if (count < fewestRows) continue;
      const variance = expected[at]! * (1 - expected[at]!);
      beyond += (sums[at]! / count - expected[at]!) ** 2 - variance / count;
      single += variance;
      cells++;
    }
  }
  // one task is its whole family: there is nothing to compare it with
  if (cells === 0 || tasks.length === 1) return fewestWorth;
  return beyond <= 0 ? mostWorth : Math.min(mostWorth, Math.max(fewestWorth, single / beyond));
}
