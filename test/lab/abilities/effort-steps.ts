import { habitsOf } from '../../../src/models/model-habits.js';
import { type EffortLevel, effortLevels, levelOf } from '../../../src/models/model-tables.js';
import type { FittedAbility } from './fit-abilities.js';
import { rising } from './isotonic.js';

/** How much better models are at each effort than without reasoning, in log odds; they rise. */
export type EffortSteps = Readonly<Record<EffortLevel, number>>;

/** How far one model's steps lie from those of all, and how sure it is that its usual effort adds 0. */
const spread = 0.15,
  sureSpread = 0.05;
const rounds = 50;

const isReasoning = ({ reasoning }: ReturnType<typeof habitsOf>): boolean =>
  reasoning.some((tokens) => tokens > 0);

interface Measured {
  readonly level: EffortLevel;
  readonly by: number;
  readonly weight: number;
}

/** What was measured at stated efforts. */
const measuredOf = ({ beside }: FittedAbility): Measured[] =>
  effortLevels.flatMap((level) => {
    const known = beside[`effort:${level}`];
    return known ? [{ level, by: known.by, weight: 1 / (known.error ** 2 + spread ** 2) }] : [];
  });

const weightedMean = (values: readonly (readonly [value: number, weight: number])[]): number => {
  const whole = values.reduce((sum, [, weight]) => sum + weight, 0);
  return whole === 0 ? 0 : values.reduce((sum, [value, weight]) => sum + value * weight, 0) / whole;
};

/**
 * The steps that fit best what the same models reached at two efforts or more: what they reached
 * without a stated one says too little, since nobody says how much they then reasoned.
 */
export function defaultEffortSteps(models: readonly FittedAbility[]): EffortSteps {
  const measured = models
    .filter(({ model }) => isReasoning(habitsOf(model)))
    .map(measuredOf)
    .filter(({ length }) => length > 1);
  let steps = stepsFrom(effortLevels.map(() => 0));
  for (let round = 0; round < rounds; round++) {
    const before = steps;
    const apart = measured.flatMap((own) => {
      const level = weightedMean(own.map((one) => [one.by - before[one.level], one.weight]));
      return own.map((one) => ({ ...one, by: one.by - level }));
    });
    const next = effortLevels.map((level) =>
      weightedMean(
        apart.filter((one) => one.level === level).map(({ by, weight }) => [by, weight] as const),
      ),
    );
    steps = stepsFrom(next);
  }
  const values = effortLevels.map((level) => steps[level]);
  const rise = rising(
    values,
    values.map(() => 1),
  );
  return stepsFrom(rise.map((value) => value - rise[0]!));
}

const stepsFrom = (values: readonly number[]): EffortSteps =>
  Object.fromEntries(effortLevels.map((level, at) => [level, values[at]!])) as EffortSteps;

/**
 * What each effort adds to a model's ability: as measured, drawn to the usual steps, and never less
 * for more effort; 0 at the effort of a request without one. Null: it does not reason.
 */
export function effortsOf(
  { model, beside }: FittedAbility,
  usual: EffortSteps,
): EffortSteps | null {
  const habits = habitsOf(model);
  if (!isReasoning(habits)) return null;
  const own = levelOf(habits.defaultEffort);
  const known = effortLevels.map((level) => {
    const expected = { by: usual[level] - usual[own], weight: 1 / spread ** 2 };
    const told = beside[`effort:${level}`];
    const all = [
      expected,
      ...(told ? [{ by: told.by, weight: 1 / told.error ** 2 }] : []),
      ...(level === own ? [{ by: 0, weight: 1 / sureSpread ** 2 }] : []),
    ];
    const weight = all.reduce((sum, one) => sum + one.weight, 0);
    return { by: all.reduce((sum, one) => sum + (one.weight * one.by) / weight, 0), weight };
  });
  const steps = rising(
    known.map(({ by }) => by),
    known.map(({ weight }) => weight),
  );
  const usualStep = steps[effortLevels.indexOf(own)]!;
  return stepsFrom(steps.map((step) => step - usualStep));
}
