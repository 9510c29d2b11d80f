import { type Estimate, estimateOf } from '../../../src/chooser/training/custom/bootstrap.js';
import type { ModelAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import type { Candidate, Ranker } from '../../../src/chooser/plan.js';
import { choose } from '../choice/chooser.js';
import { bootstrap, type DrawOptions } from '../estimates.js';
import { orderOfGains } from '../pair-figures.js';
import type { EvaluatedPool } from '../pools.js';

/** How well pairs of a strong and a weak model share the prompts of one family. */
export interface PairsResult {
  readonly prompts: number;
  readonly pairs: number;
  /** How much better the strong model is, the mean of the pairs. */
  readonly gap: number;
  /**
   * RouteLLM's APGR of all pairs together: the share of their gaps that is recovered, over all shares
   * of calls to the strong model. By the gap that the ranker expects, by the length of the prompt,
   * and by chance.
   */
  readonly ranker: Estimate;
  readonly length: Estimate;
  readonly chance: number;
  /** The ranker's less that of length, of the same draws of prompts. */
  readonly overLength: Estimate;
}

/** The places of a strong and a weak model in a pool. */
export type Pair = readonly [strong: number, weak: number];

/** So far apart are the abilities of a strong and a weak model at least, in log odds. */
const minApart = 0.5;

/**
 * Every model of the abler half of a pool with every one of the other half that is clearly less
 * able. Models without published results are left out.
 */
export function pairsOf(models: readonly string[], abilities: ModelAbilities): Pair[] {
  const known = models
    .flatMap((model, place) => {
      const ability = abilities.measured(model)?.ability;
      return ability === undefined ? [] : [{ place, ability }];
    })
    .sort((a, b) => b.ability - a.ability);
  const half = Math.ceil(known.length / 2);
  return known.slice(0, half).flatMap((strong) =>
    known
      .slice(half)
      .filter((weak) => strong.ability - weak.ability >= minApart)
      .map((weak): Pair => [strong.place, weak.place]),
  );
}

const candidateOf = (model: string): Candidate => ({ label: model, provider: null, model });

/** What the ranker expects of each model of a pool, laid out as the scores. */
function qualitiesOf(ranker: Ranker, { models, prompts }: EvaluatedPool): Float64Array {
  const candidates = models.map(candidateOf);
  const places = new Map(models.map((model, place) => [model, place]));
  const qualities = new Float64Array(prompts.length * models.length);
  prompts.forEach((prompt, row) => {
    for (const { model, why } of choose(ranker, candidates, prompt))
      qualities[row * models.length + places.get(model)!] = why.quality;
  });
  return qualities;
}

type Method = 'ranker' | 'length' | 'chance';

/** The prompts of one pool in the order in which they go to the strong model of a pair. */
interface Ordered {
  readonly method: Method;
  readonly order: Int32Array;
  /** By row: the score of the strong model less that of the weak one, of all pairs of this order. */
  readonly differences: Float64Array;
  /** The first row of the pool among the rows of all pools. */
  readonly from: number;
}

function ordersOf(ranker: Ranker, pool: EvaluatedPool, pairs: readonly Pair[], from: number) {
  const width = pool.models.length;
  const qualities = qualitiesOf(ranker, pool);
  const gains = (table: Float64Array, [strong, weak]: Pair): Float64Array =>
    Float64Array.from(
      { length: pool.rows },
      (_, row) => table[row * width + strong]! - table[row * width + weak]!,
    );
  // length and chance put the prompts in one order for all pairs, so that their gains are added up
  const together = new Float64Array(pool.rows);
  const byRanker = pairs.map((pair): Ordered => {
    const differences = gains(pool.scores, pair);
    differences.forEach((one, row) => (together[row]! += one));
    return { method: 'ranker', order: orderOfGains(gains(qualities, pair)), differences, from };
  });
  const lengths = Float64Array.from(pool.prompts, ({ length }) => length);
  return [
    ...byRanker,
    { method: 'length', order: orderOfGains(lengths), differences: together, from },
    {
      method: 'chance',
      order: orderOfGains(new Float64Array(pool.rows)),
      differences: together,
      from,
    },
  ] satisfies Ordered[];
}

/** The area under what is recovered of a gap, and the gap; rows count as their weights say. */
function areaAndGap(
  { order, differences, from }: Ordered,
  weights: Float64Array,
): { area: number; gap: number } {
  let area = 0,
    recovered = 0,
    total = 0;
  for (const row of order) {
    const weight = weights[from + row]!,
      difference = differences[row]!;
    area += weight * (recovered + (weight * difference) / 2);
    recovered += weight * difference;
    total += weight;
  }
  return total === 0 ? { area: 0, gap: 0 } : { area: area / total ** 2, gap: recovered / total };
}

/**
 * Judges how well a ranker tells on which prompts of a family a strong model is worth its price.
 * @param pools the family's pools, one for each source: pairs are made within a pool
 * @returns null if there is no pair
 */
export function judgeZeroShotPairs(
  ranker: Ranker,
  abilities: ModelAbilities,
  pools: readonly EvaluatedPool[],
  options: DrawOptions,
): PairsResult | null {
  const judged = pools
    .map((pool) => ({ pool, pairs: pairsOf(pool.models, abilities) }))
    .filter(({ pairs }) => pairs.length > 0);
  if (judged.length === 0) return null;
  let rows = 0;
  const orders = judged.flatMap(({ pool, pairs }) => {
    const from = rows;
    rows += pool.rows;
    return ordersOf(ranker, pool, pairs, from);
  });
  const groups = judged.flatMap(({ pool }) => pool.groups);
  const pairs = judged.reduce((sum, one) => sum + one.pairs.length, 0);
  const { values, draws } = bootstrap(groups, options, figuresOf(orders));
  const estimate = (name: string): Estimate => estimateOf(values.get(name)!, draws.get(name)!);
  return {
    prompts: rows,
    pairs,
    gap: values.get('gap')! / pairs,
    ranker: estimate('ranker'),
    length: estimate('length'),
    chance: values.get('chance')!,
    overLength: estimate('overLength'),
  };
}

const figuresOf =
  (orders: readonly Ordered[]) =>
  (weights: Float64Array): ReadonlyMap<string, number> => {
    const areas: Record<Method, number> = { ranker: 0, length: 0, chance: 0 };
    let gaps = 0;
    for (const one of orders) {
      const { area, gap } = areaAndGap(one, weights);
      areas[one.method] += area;
      if (one.method === 'ranker') gaps += gap;
    }
    const [ranker, length, chance] = [areas.ranker, areas.length, areas.chance].map((area) =>
      gaps > 0 ? area / gaps : NaN,
    );
    return new Map([
      ['gap', gaps],
      ['ranker', ranker!],
      ['length', length!],
      ['chance', chance!],
      ['overLength', ranker! - length!],
    ]);
  };
