import { readPublishedResults } from '../abilities/published-results.js';
import { joined, readScoredPrompts } from '../abilities/scored-prompts.js';
import { familiesToHoldOut } from '../fit/fit-shipped.js';
import { foldOf, readPublishedEvaluations } from '../fit/published-evaluations.js';
import { poolsOfFamily } from '../named-pools.js';
import { familyOf, type FittedRanker, fitWithout, type Published } from '../pairs/fit-without.js';
import { judgeZeroShotPairs, type PairsResult } from '../pairs/zero-shot-pairs.js';
import { partOf, sampleOf } from '../pools.js';
import { formatCount, formatScore, scoreWithInterval } from '../report/format-figures.js';
import { asText, type Table } from '../report/tables.js';
import { readScaleRows } from '../scale/scale-rows.js';
import { evaluationsFolder } from './evaluations-folder.js';

/** Options of `npm run lab -- pairs`. */
export interface JudgePairsOptions {
  /** Folder of published evaluations; undefined: as `evaluationsFolder` finds it. */
  readonly data: string | undefined;
  /** Three families. */
  readonly quick: boolean;
}

const quickFamilies = ['bfcl', 'crux', 'math'];
/** So many prompts of a pool are judged. */
export const maxTested = 3000;
const draw = { draws: 200, seed: 1 };
/** One of so many folds of prompts is kept back, to judge families that are known. */
const folds = 5;
/** So much better than the length of the prompt the ranker is to be. */
export const pairGoal = 0.03;

/**
 * Judges how well the shipped ranker tells on which prompts a strong model is worth its price: on
 * families that nothing was fitted to, and on prompts that were kept back of families that are known.
 * @throws Error for people
 */
export function printPairs({ data, quick }: JudgePairsOptions): string {
  const folder = evaluationsFolder('pairs', data);
  const evaluations = readPublishedEvaluations(folder);
  const published = {
    evaluations,
    rows: readScaleRows(folder),
    results: joined([readPublishedResults(folder), readScoredPrompts(folder)]),
  };
  const families = familiesToHoldOut(evaluations).filter(
    (family) => !quick || quickFamilies.includes(family),
  );
  const known = fitWithout(published, { tasks: new Set(), groups: keptBack(published) });
  const lines = families.map((family) => {
    process.stderr.write(`without ${family}\n`);
    const unknown = fitWithout(published, familyOf(published, family));
    return [
      family,
      judge(published, family, unknown),
      judgeKnown(published, family, known),
    ] as const;
  });
  return asText([pairTable(lines)]);
}

const isKeptBack = (group: string): boolean => foldOf(group, folds) === 0;

const keptBack = ({ evaluations, rows }: Published): ReadonlySet<string> =>
  new Set([...evaluations.groups, ...rows.map(({ group }) => group)].filter(isKeptBack));

function judge(
  { evaluations }: Published,
  family: string,
  { ranker, abilities }: FittedRanker,
): PairsResult | null {
  const pools = poolsOfFamily(evaluations, family).map((pool) => sampleOf(pool, maxTested));
  return judgeZeroShotPairs(ranker, abilities, pools, draw);
}

function judgeKnown(
  { evaluations }: Published,
  family: string,
  { ranker, abilities }: FittedRanker,
): PairsResult | null {
  const pools = poolsOfFamily(evaluations, family).map((pool) =>
    sampleOf(
      partOf(pool, (row) => isKeptBack(pool.groups[row]!)),
      maxTested,
    ),
  );
  return judgeZeroShotPairs(ranker, abilities, pools, draw);
}

type Line = readonly [family: string, unknown: PairsResult | null, known: PairsResult | null];

function verdictOf({ overLength: { value, low, high } }: PairsResult): string {
  if (value >= pairGoal) return low >= pairGoal ? 'reached' : 'reached, within the interval';
  return high < pairGoal ? 'missed' : 'missed, within the interval';
}

/** One line for each family that has pairs. */
export function pairTable(lines: readonly Line[]): Table {
  const verdicts = lines.flatMap(([, unknown]) => (unknown ? [verdictOf(unknown)] : []));
  const count = (verdict: string): number => verdicts.filter((one) => one === verdict).length;
  const [reached, missed] = [count('reached'), count('missed')];
  return {
    title: 'Pairs of a strong and a weak model: APGR',
    notes: [
      'The share of the gap between the models that is recovered, over all shares of calls to the strong one; all pairs of a family together. With 95 % intervals of a bootstrap over groups of equal prompts.',
      `Unknown: nothing was fitted to the family. Known: to four fifths of its prompts, and the others are judged. ${pairGoal} above the length of the prompt, unknown, the goal until November 2026: surely reached in ${reached}, surely missed in ${missed}; in the other ${verdicts.length - reached - missed} there are too few prompts to tell.`,
    ],
    head: [
      ...['family', 'prompts', 'pairs', 'gap', 'ranker, unknown', 'length', 'chance'],
      ...['over length', 'goal', 'ranker, known', 'over length, known'],
    ],
    rows: lines.flatMap(([family, unknown, known]) =>
      unknown === null
        ? []
        : [
            [
              family,
              formatCount(unknown.prompts),
              formatCount(unknown.pairs),
              formatScore(unknown.gap),
              scoreWithInterval(unknown.ranker),
              formatScore(unknown.length.value),
              formatScore(unknown.chance),
              scoreWithInterval(unknown.overLength),
              verdictOf(unknown),
              scoreWithInterval(known?.ranker),
              scoreWithInterval(known?.overLength),
            ],
          ],
    ),
  };
}
