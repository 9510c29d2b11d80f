import { singlesOf, hullOf, type Point } from '../../src/training/custom/cost-curve.js';
import { type Estimate, estimateOf } from '../../src/training/custom/bootstrap.js';
import { bootstrap, type DrawOptions, estimateOfError } from './estimates.js';
import {
  areaOf,
  barOf,
  calibrationError,
  curveFigures,
  orderOfGains,
  pairFigures,
  type FigureName,
} from './figures.js';
import { strongAndWeak } from './pools.js';
import { pointsOf, profileOfShares, type Profile } from './profiles.js';
import { bestOf, singleShares } from './baselines/single-models.js';
import {
  hindsightZero,
  knownZero,
  withHindsight,
  type Outcome,
  type Trial,
} from './protocols/trial.js';

/** Figures of one way to choose, with their intervals; what it has no answer to is absent. */
export type Figures = Partial<Record<FigureName, Estimate>>;

/** What came of a trial. */
export interface Verdict {
  readonly name: string;
  readonly rows: number;
  /** Mean cost (USD) and score of each model. */
  readonly singles: readonly (Point & { readonly model: string })[];
  readonly ways: Readonly<Record<string, Figures>>;
  /** Hulls of the ways' curves. */
  readonly curves: Readonly<Record<string, readonly Point[]>>;
}

/** A verdict with the draws that its intervals were read from: by `way|figure`, the value in each draw. */
export interface DrawnVerdict extends Verdict {
  readonly draws: ReadonlyMap<string, readonly number[]>;
}

const pairNames = [
  ['apgr', 'cpt50', 'cpt80'],
  ['apgrLater', 'cpt50Later', 'cpt80Later'],
] as const;

/** Both models' places and what calls would be ordered by. */
interface Pair {
  readonly names: (typeof pairNames)[number];
  readonly order: Int32Array;
  readonly differences: Float64Array;
}

function pairsOf({ models, rows, scores }: Trial['pool'], { quality }: Outcome): Pair[] {
  if (quality === null) return [];
  return strongAndWeak.flatMap(([strong, weak], at) => {
    const [a, b] = [models.indexOf(strong), models.indexOf(weak)];
    if (a < 0 || b < 0) return [];
    const differencesOf = (from: Float64Array): Float64Array =>
      Float64Array.from(
        { length: rows },
        (_, row) => from[row * models.length + a]! - from[row * models.length + b]!,
      );
    return [
      {
        names: pairNames[at]!,
        order: orderOfGains(differencesOf(quality)),
        differences: differencesOf(scores),
      },
    ];
  });
}

/** Judges the ways of a trial by the same draws of its rows. The bar is the model that is best on all rows. */
export function judge(given: Trial, options: DrawOptions): DrawnVerdict {
  const trial = withHindsight(given),
    { pool, outcomes } = trial;
  const singles = singlesOf(pool),
    best = bestOf(singles);
  const alone = profileOfShares(
    pool,
    pool.models.map((_, model) => singleShares(pool.models.length, model)),
  );
  const pairs = Object.fromEntries(
    Object.entries(outcomes).map(([way, outcome]) => [way, pairsOf(pool, outcome)]),
  );
  const { values, draws } = bootstrap(trial.groups, options, (weights) =>
    figuresFor(trial, alone, best, pairs, weights),
  );
  const ways = Object.fromEntries(Object.keys(outcomes).map((way): [string, Figures] => [way, {}]));
  for (const [key, value] of values) {
    const [way, figure] = key.split('|') as [string, FigureName];
    ways[way]![figure] = figureWithInterval(figure, value, draws.get(key)!);
  }
  const all = new Float64Array(pool.rows).fill(1);
  return {
    name: trial.name,
    rows: pool.rows,
    ways,
    draws,
    singles: singles.map((point, model) => ({ ...point, model: pool.models[model]! })),
    curves: Object.fromEntries(
      Object.entries(outcomes).map(([way, { profile }]) => [way, hullOf(pointsOf(profile, all))]),
    ),
  };
}

/** A figure with the interval of its draws. */
export function figureWithInterval(
  figure: FigureName,
  value: number,
  draws: readonly number[],
): Estimate {
  return figure === 'calibration' ? estimateOfError(value, draws) : estimateOf(value, draws);
}

function figuresFor(
  { pool, outcomes }: Trial,
  alone: Profile,
  best: number,
  pairs: Readonly<Record<string, readonly Pair[]>>,
  weights: Float64Array,
): Map<string, number> {
  const bar = barOf(pointsOf(alone, weights), best);
  const figures = new Map<string, number>();
  const points = new Map(
    Object.entries(outcomes).map(([way, { profile }]) => [way, pointsOf(profile, weights)]),
  );
  const areas = {
    overZero: areaOf(points.get(hindsightZero)!, bar),
    overKnownZero: areaOf(points.get(knownZero)!, bar),
  };
  for (const [way, { quality }] of Object.entries(outcomes)) {
    const told = curveFigures(points.get(way)!, bar);
    for (const [name, value] of Object.entries(told)) figures.set(`${way}|${name}`, value);
    figures.set(`${way}|overZero`, told.aiq! - areas.overZero);
    figures.set(`${way}|overKnownZero`, told.aiq! - areas.overKnownZero);
    if (quality !== null)
      figures.set(`${way}|calibration`, calibrationError(quality, pool.scores, weights));
    for (const { names, order, differences } of pairs[way]!) {
      const { apgr, cpt50, cpt80 } = pairFigures(order, differences, weights);
      names.forEach((name, at) => figures.set(`${way}|${name}`, [apgr, cpt50, cpt80][at]!));
    }
  }
  return figures;
}
