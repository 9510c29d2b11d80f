/** Of one task: by model, the predicted quality and the share of texts that it answered well. */
export interface TaskLevels {
  readonly family: string;
  /** Tasks of one group look alike to whoever reads the request, such as all that ask for yes or no. */
  readonly group: string;
  readonly predicted: readonly number[];
  readonly scored: readonly number[];
}

const steps = 1_000;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

/**
 * The errors of predicted qualities if all tasks of a group had one level: the level that fits the
 * tasks best, chosen in hindsight by their own results. The differences between models stay as
 * predicted. No prediction that takes the tasks of a group for equally difficult has a smaller mean.
 * @returns by family
 */
export function errorsAtOneLevel(tasks: readonly TaskLevels[]): ReadonlyMap<string, number> {
  const errors = new Map<string, number>();
  for (const group of new Set(tasks.map((one) => one.group))) {
    const alike = tasks.filter((one) => one.group === group);
    const tried = Array.from({ length: steps + 1 }, (_, at) =>
      alike.map((one) => errorAt(at / steps, one)),
    );
    const means = tried.map(meanOf);
    const best = tried[means.indexOf(Math.min(...means))]!;
    alike.forEach(({ family }, at) => errors.set(family, best[at]!));
  }
  return errors;
}

function errorAt(level: number, { predicted, scored }: TaskLevels): number {
  const mean = meanOf(predicted);
  return meanOf(predicted.map((one, at) => Math.abs(level + one - mean - scored[at]!)));
}
