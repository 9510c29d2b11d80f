import { singlesOf, hullOf, type Point } from '../../src/chooser/training/custom/cost-curve.js';
import { type Estimate, estimateOf } from '../../src/chooser/training/custom/bootstrap.js';
import { bootstrap, type DrawOptions, estimateOfError } from './estimates.js';
import {
  areaOf,
  calibrationError,
  curveFigures,
  summarizeSingles,
  type FigureName,
} from './figures.js';
import { orderOfGains, pairFigures } from './pair-figures.js';
import { strongAndWeak } from './model-pools.js';
import { pointsOf, profileOfShares, type Profile } from './profiles.js';
import { bestOf, singleShares } from './baselines/single-models.js';
import {
  hindsightZero,
  knownZero,
  withHindsight,
  type MethodOutcome,
  type Trial,
} from './protocols/trial.js';

/** Figures of one method with their intervals; a figure that does not apply is absent. */
export type MethodFigures = Partial<Record<FigureName, Estimate>>;

/** The result of a trial. */
export interface Verdict {
  readonly name: string;
  readonly rows: number;
  /** Mean cost (USD) and score of each model. */
  readonly singles: readonly (Point & { readonly model: string })[];
  /** By the name of the method. */
  readonly methods: Readonly<Record<string, MethodFigures>>;
  /** Hulls of the methods' cost-quality curves. */
  readonly curves: Readonly<Record<string, readonly Point[]>>;
}

/** A verdict with the draws of its intervals: by `method|figure`, the value in each draw. */
export interface DrawnVerdict extends Verdict {
  readonly draws: ReadonlyMap<string, readonly number[]>;
}

const pairFigureNames = [
  ['apgr', 'cpt50', 'cpt80'],
  ['apgrLater', 'cpt50Later', 'cpt80Later'],
] as const;

/** A strong and a weak model that a method chooses between. */
interface Pair {
  readonly names: (typeof pairFigureNames)[number];
  /** Rows, largest predicted gain first. */
  readonly order: Int32Array;
  /** By row: the actual gain. */
  readonly differences: Float64Array;
}

function pairsOf(
  { models, rows, scores }: Trial['pool'],
  { quality }: MethodOutcome,
): readonly Pair[] {
  if (quality === null) return [];
  return strongAndWeak.flatMap(([strong, weak], at) => {
    const [a, b] = [models.indexOf(strong), models.indexOf(weak)];
    if (a < 0 || b < 0) return [];
    const gainsIn = (table: Float64Array): Float64Array =>
      Float64Array.from(
        { length: rows },
        (_, row) => table[row * models.length + a]! - table[row * models.length + b]!,
      );
    const order = orderOfGains(gainsIn(quality));
    return [{ names: pairFigureNames[at]!, order, differences: gainsIn(scores) }];
  });
}

/**
 * Judges all methods of a trial on the same bootstrap draws of its rows. They are compared with the
 * model that is best on all rows.
 */
export function judge(given: Trial, options: DrawOptions): DrawnVerdict {
  const trial = withHindsight(given);
  const { pool, outcomes } = trial;
  const singles = singlesOf(pool);
  const { values, draws } = bootstrap(trial.groups, options, figuresByWeights(trial, singles));
  const all = new Float64Array(pool.rows).fill(1);
  return {
    name: trial.name,
    rows: pool.rows,
    methods: withIntervals(Object.keys(outcomes), values, draws),
    draws,
    singles: singles.map((point, model) => ({ ...point, model: pool.models[model]! })),
    curves: Object.fromEntries(
      Object.entries(outcomes).map(([method, { profile }]) => [
        method,
        hullOf(pointsOf(profile, all)),
      ]),
    ),
  };
}

function withIntervals(
  names: readonly string[],
  values: ReadonlyMap<string, number>,
  draws: ReadonlyMap<string, readonly number[]>,
): Record<string, MethodFigures> {
  const methods: Record<string, MethodFigures> = Object.fromEntries(
    names.map((name) => [name, {}]),
  );
  for (const [key, value] of values) {
    const [method, figure] = key.split('|') as [string, FigureName];
    methods[method]![figure] = figureWithInterval(figure, value, draws.get(key)!);
  }
  return methods;
}

/** A figure with the interval of its draws. */
export function figureWithInterval(
  figure: FigureName,
  value: number,
  draws: readonly number[],
): Estimate {
  return figure === 'calibration' ? estimateOfError(value, draws) : estimateOf(value, draws);
}

/** Computes all figures, by `method|figure`, for rows that count as often as their weights say. */
function figuresByWeights(
  { pool, outcomes }: Trial,
  singles: readonly Point[],
): (weights: Float64Array) => Map<string, number> {
  const alone: Profile = profileOfShares(
    pool,
    pool.models.map((_, model) => singleShares(pool.models.length, model)),
  );
  const best = bestOf(singles);
  const methods = Object.entries(outcomes).map(([method, outcome]) => ({
    method,
    outcome,
    pairs: pairsOf(pool, outcome),
  }));
  return (weights) => {
    const reference = summarizeSingles(pointsOf(alone, weights), best);
    const areaOfZero = (method: string): number =>
      areaOf(pointsOf(outcomes[method]!.profile, weights), reference);
    const [zero, known] = [areaOfZero(hindsightZero), areaOfZero(knownZero)];
    const figures = new Map<string, number>();
    for (const { method, outcome, pairs } of methods) {
      const add = (name: FigureName, value: number): unknown =>
        figures.set(`${method}|${name}`, value);
      const curve = curveFigures(pointsOf(outcome.profile, weights), reference);
      for (const [name, value] of Object.entries(curve)) add(name as FigureName, value);
      add('overZero', curve.aiq! - zero);
      add('overKnownZero', curve.aiq! - known);
      if (outcome.quality !== null)
        add('calibration', calibrationError(outcome.quality, pool.scores, weights));
      for (const { names, order, differences } of pairs) {
        const { apgr, cpt50, cpt80 } = pairFigures(order, differences, weights);
        names.forEach((name, at) => add(name, [apgr, cpt50, cpt80][at]!));
      }
    }
    return figures;
  };
}
