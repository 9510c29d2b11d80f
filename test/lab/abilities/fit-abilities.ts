import { dot, inverseOf } from './positive-definite.js';
import type { PublishedResults, Result, ResultColumn } from './published-results.js';
import { technicalFactor } from './technical.js';

/** What is known of one model, in log odds. */
export interface FittedAbility {
  readonly model: string;
  /** On tasks of all kinds in English. */
  readonly ability: number;
  readonly error: number;
  /**
   * What to add for a kind of task, a group of languages, an effort, or by its `technicalFactors` for
   * being good at technical tasks (`technical`); and how sure it is.
   */
  readonly beside: Readonly<Record<string, { readonly by: number; readonly error: number }>>;
  /**
   * The standard error of the ability with a sum of these, each taken so many times; what is not
   * known of the model is left out.
   */
  readonly errorOf: (parts: Readonly<Record<string, number>>) => number;
  /** Columns that it has results in. */
  readonly columns: number;
}

/** A column's own scale: a result is `level + slope * ability`, give or take `spread`. */
export interface ColumnScale {
  readonly level: number;
  readonly slope: number;
  readonly spread: number;
}

/** Abilities of all models on one scale, and how each column relates to it. */
export interface Abilities {
  readonly models: readonly FittedAbility[];
  readonly scales: readonly ColumnScale[];
}

/** How far abilities lie from those of their line, in log odds (standard deviations). */
export interface Spreads {
  /** From the mean of the maker's models of about that price and time. */
  readonly ability: number;
  /** Between the efforts of one model. */
  readonly effort: number;
  /** Between people's preferences, tests with a right answer, and models as judges. */
  readonly manner: number;
  /** Between the kinds of task of one model. */
  readonly beside: number;
}

const rounds = 40;
export const usualSpreads: Spreads = { ability: 1, effort: 0.3, manner: 0.6, beside: 0.25 };
/** Columns of one source share judges and prompts, so that twenty of them are not twenty tests. */
const countOfSource = (columns: number): number => columns ** 0.5;
/** A slope is drawn to the mean of its source as by so many results. */
const slopePrior = 8;
const minSlope = 0.15;
const minSpread = 0.08;
/** With fewer results a column's own scale says nothing. */
const minResults = 6;

interface System {
  readonly model: string;
  readonly results: Result[];
  /** The ability, then one number for each aspect that its results have. */
  coordinates: Float64Array;
  /** The covariances of their errors. */
  covariance: readonly Float64Array[];
  readonly aspects: readonly string[];
}

/** Tests with a right answer, and judges that are models, as opposed to people's preferences. */
const [graded, judged] = ['graded', 'judged'];
const technical = 'technical';
const effortPrefix = 'effort:';

function manner(source: string): string | null {
  if (source === 'alpaca_eval') return judged;
  return source.includes('arena') ? null : graded;
}

/** What the results of a column depend on beside the ability, and how much. */
function aspectsOf(column: ResultColumn, effort: string): (readonly [string, number])[] {
  const whole = [
    ...[column.kind, column.language, manner(column.source)],
    effort === '' ? null : effortPrefix + effort,
  ].flatMap((one) => (one === null ? [] : [[one, 1] as const]));
  const factor = technicalFactor(column);
  return factor === 0 ? whole : [...whole, [technical, factor]];
}

function systemsOf({ columns, results }: PublishedResults): System[] {
  const byModel = new Map<string, Result[]>();
  for (const result of results) {
    const known = byModel.get(result.model);
    if (known) known.push(result);
    else byModel.set(result.model, [result]);
  }
  return [...byModel].map(([model, own]) => {
    const aspects = [
      ...new Set(
        own.flatMap(({ column, effort }) =>
          aspectsOf(columns[column]!, effort).map(([one]) => one),
        ),
      ),
    ].sort();
    return {
      model,
      results: own,
      aspects,
      coordinates: new Float64Array(1 + aspects.length),
      covariance: [],
    };
  });
}

/** What a model's coordinates say of a column's kind and language, at an effort. */
function abilityAt({ coordinates, aspects }: System, column: ResultColumn, effort: string): number {
  let ability = coordinates[0]!;
  for (const [aspect, factor] of aspectsOf(column, effort)) {
    const at = aspects.indexOf(aspect);
    if (at >= 0) ability += factor * coordinates[1 + at]!;
  }
  return ability;
}

/**
 * Brings results on different scales to one: each column has a level, a slope and a spread of its
 * own, each model an ability and what is particular to a kind of task or a language. Alternates
 * between the two by least squares with priors, which is a linearized two-parameter item response
 * model with the columns as random effects. Deterministic.
 * @param outside what a model's ability is drawn to; absent: 0 for all
 */
export function fitAbilities(
  published: PublishedResults,
  outside: (model: string) => number = () => 0,
  spreads: Spreads = usualSpreads,
): Abilities {
  const { columns } = published;
  const systems = systemsOf(published);
  const weights = weightsOfColumns(published);
  let scales = firstScales(published);
  for (let round = 0; round < rounds; round++) {
    for (const system of systems)
      place(system, { columns, scales, weights, spreads, outside: outside(system.model) });
    center(systems);
    scales = scalesOf(published, systems);
  }
  return { models: systems.map(fitted), scales };
}

function weightsOfColumns({ columns, results }: PublishedResults): Float64Array {
  const counts = new Map<string, number>();
  for (const { source } of columns) counts.set(source, (counts.get(source) ?? 0) + 1);
  const sizes = new Float64Array(columns.length);
  for (const { column } of results) sizes[column]!++;
  return Float64Array.from(columns, ({ source }, at) =>
    sizes[at]! < minResults ? 0 : countOfSource(counts.get(source)!) / counts.get(source)!,
  );
}

/** Each column's mean and deviation: as if all had tested the same models. */
function firstScales({ columns, results }: PublishedResults): ColumnScale[] {
  return columns.map((_, at) => {
    const values = results.filter(({ column }) => column === at).map(({ value }) => value);
    const level = meanOf(values);
    const slope = Math.sqrt(meanOf(values.map((value) => (value - level) ** 2))) || 1;
    return { level, slope: Math.max(minSlope, slope), spread: slope / 2 };
  });
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

interface Placing {
  readonly columns: readonly ResultColumn[];
  readonly scales: readonly ColumnScale[];
  readonly weights: Float64Array;
  readonly spreads: Spreads;
  readonly outside: number;
}

function spreadOf(aspect: string, spreads: Spreads): number {
  if (aspect.startsWith(effortPrefix)) return spreads.effort;
  return aspect === graded || aspect === judged ? spreads.manner : spreads.beside;
}

/** Finds a system's coordinates from its results, by ridge regression. */
function place(system: System, { columns, scales, weights, spreads, outside }: Placing): void {
  const width = system.coordinates.length;
  const matrix = Array.from({ length: width }, (_, at) => {
    const row = new Float64Array(width);
    row[at] = 1 / (at === 0 ? spreads.ability : spreadOf(system.aspects[at - 1]!, spreads)) ** 2;
    return row;
  });
  const right = new Float64Array(width);
  right[0] = outside * matrix[0]![0]!;
  for (const { column, effort, value, error } of system.results) {
    const { level, slope, spread } = scales[column]!;
    const weight = weights[column]! / (spread ** 2 + error ** 2);
    const places: (readonly [at: number, factor: number])[] = [
      [0, 1],
      ...aspectsOf(columns[column]!, effort).map(
        ([one, factor]) => [1 + system.aspects.indexOf(one), factor] as const,
      ),
    ];
    for (const [at, factor] of places) {
      right[at]! += factor * weight * slope * (value - level);
      for (const [other, more] of places)
        matrix[at]![other]! += factor * more * weight * slope * slope;
    }
  }
  const inverse = inverseOf(matrix);
  system.coordinates = Float64Array.from(inverse, (row) => dot(row, right));
  system.covariance = inverse;
}

/**
 * The scale's zero: particulars have mean 0 in each aspect, so that they are what is particular. An
 * effort is none: more of it helps all.
 */
function center(systems: readonly System[]): void {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { aspects, coordinates } of systems)
    aspects.forEach((aspect, at) => {
      const known = sums.get(aspect) ?? { sum: 0, count: 0 };
      sums.set(aspect, { sum: known.sum + coordinates[1 + at]!, count: known.count + 1 });
    });
  for (const { aspects, coordinates } of systems)
    aspects.forEach((aspect, at) => {
      if (aspect.startsWith(effortPrefix)) return;
      const { sum, count } = sums.get(aspect)!;
      coordinates[1 + at]! -= sum / count;
    });
}

/** Each column's scale given the abilities; slopes are drawn to the mean of their source. */
function scalesOf({ columns }: PublishedResults, systems: readonly System[]): ColumnScale[] {
  const points = columns.map((): Point[] => []);
  for (const system of systems)
    for (const { column, effort, value } of system.results)
      points[column]!.push({
        x: abilityAt(system, columns[column]!, effort),
        y: value,
        unsure: system.covariance[0]![0]!,
      });
  const free = points.map((own) => lineThrough(own, 0, 0));
  const bySource = new Map<string, number[]>();
  columns.forEach(({ source }, at) => {
    if (points[at]!.length < minResults) return;
    bySource.set(source, [...(bySource.get(source) ?? []), free[at]!.slope]);
  });
  return columns.map(({ source }, at) =>
    lineThrough(points[at]!, Math.max(minSlope, meanOf(bySource.get(source) ?? [1])), slopePrior),
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
  /** The variance of x. */
  readonly unsure: number;
}

function lineThrough(points: readonly Point[], usualSlope: number, prior: number): ColumnScale {
  const x = meanOf(points.map((one) => one.x)),
    y = meanOf(points.map((one) => one.y));
  let both = prior * usualSlope,
    square = prior || 1e-9;
  for (const one of points) {
    both += (one.x - x) * (one.y - y);
    square += (one.x - x) ** 2 + one.unsure;
  }
  const slope = Math.max(minSlope, both / square);
  const level = y - slope * x;
  const rest = meanOf(points.map((one) => (one.y - level - slope * one.x) ** 2));
  return { level, slope, spread: Math.max(minSpread, Math.sqrt(rest)) };
}

function fitted({ model, results, aspects, coordinates, covariance }: System): FittedAbility {
  const errorOf = (parts: Readonly<Record<string, number>>): number => {
    const times = Float64Array.from([1, ...aspects.map((aspect) => parts[aspect] ?? 0)]);
    return Math.sqrt(
      dot(
        times,
        Float64Array.from(covariance, (row) => dot(row, times)),
      ),
    );
  };
  return {
    model,
    ability: coordinates[0]!,
    error: Math.sqrt(covariance[0]![0]!),
    errorOf,
    beside: Object.fromEntries(
      aspects.map((aspect, at) => [
        aspect,
        { by: coordinates[1 + at]!, error: Math.sqrt(covariance[1 + at]![1 + at]!) },
      ]),
    ),
    columns: new Set(results.map(({ column }) => column)).size,
  };
}
