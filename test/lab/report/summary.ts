import type { Evaluation } from '../run-evaluation.js';
import type { FamilyResult } from '../tasks.js';
import type { Stability } from '../protocols/stability.js';
import { countStandings, rowsToPass, standingsInWords } from './family-tables.js';
import type { Table } from './tables.js';
import { asDifference, asScore, asShare, nothing, share } from './written.js';

/** Something that is to be reached. */
export interface Bar {
  readonly what: string;
  readonly goal: string;
  /** The same of the random forest, the strongest baseline. */
  readonly forest: string;
  readonly reached: string;
  /** Null where it was not measured. */
  readonly isReached: boolean | null;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function inDistribution({ inDistribution: [verdict] }: Evaluation): Bar[] {
  if (!verdict) return [];
  const { router = {}, 'random forest': forest = {} } = verdict.ways;
  const pairs = [
    ['APGR, first pair of models', 'apgr'],
    ['APGR, later pair of models', 'apgrLater'],
  ] as const;
  return [
    {
      what: `${verdict.name}: cost to equal the best single model`,
      goal: '≤ 30 %',
      forest: asShare(forest.costOfBest),
      reached: asShare(router.costOfBest),
      isReached: router.costOfBest ? router.costOfBest.value <= 0.3 : null,
    },
    ...pairs.map(([what, figure]) => ({
      what: `${verdict.name}: ${what}`,
      goal: '≥ 0.95',
      forest: asScore(forest[figure]),
      reached: asScore(router[figure]),
      isReached: router[figure] ? router[figure].value >= 0.95 : null,
    })),
    {
      what: `${verdict.name}: accuracy over the best single model`,
      goal: 'interval above 0',
      forest: asDifference(forest.gain),
      reached: asDifference(router.gain),
      isReached: router.gain ? router.gain.low > 0 : null,
    },
    {
      what: `${verdict.name}: calibration error`,
      goal: '≤ 0.03',
      forest: asScore(forest.calibration),
      reached: asScore(router.calibration),
      isReached: router.calibration ? router.calibration.value <= 0.03 : null,
    },
  ];
}

function heldOut({ families }: Evaluation): Bar[] {
  const judged = families.filter(({ verdicts }) => verdicts.length > 0);
  if (judged.length === 0) return [];
  const counts = countStandings(judged, 'router');
  const errors = judged.map(({ means }) => means['router']?.calibration?.value ?? NaN);
  const told = (way: string): string => {
    const known = judged.flatMap(({ means }) => means[way]?.calibration?.value ?? []);
    return known.length === 0
      ? nothing
      : `${mean(known).toFixed(3)} on average, ${Math.max(...known).toFixed(3)} at worst`;
  };
  return [
    {
      what: 'families held out: AIQ against the zero router',
      goal: 'never below beyond the interval, above in most',
      forest: standingsInWords(countStandings(judged, 'random forest')),
      reached: `${standingsInWords(counts)} of ${judged.length}`,
      isReached: counts.below === 0 && counts.above > judged.length / 2,
    },
    {
      what: 'families held out: calibration error',
      goal: '≤ 0.08',
      forest: told('random forest'),
      reached: told('router'),
      isReached: mean(errors) <= 0.08,
    },
  ];
}

const fewRows = 200;

function learned(families: readonly FamilyResult[]): Bar[] {
  const curves = families.flatMap(({ curve }) => curve ?? []);
  if (curves.length === 0) return [];
  const passedBy = (figure: 'overZero' | 'overKnownZero'): number =>
    curves.filter((curve) => (rowsToPass(curve, figure) ?? Infinity) <= fewRows).length;
  const within = passedBy('overZero');
  return [
    {
      what: 'learning curve: rows until the zero router is passed',
      goal: `≤ ${fewRows}`,
      forest: nothing,
      reached: `by ${fewRows} rows in ${within} of ${curves.length} families (that of the labelled rows alone: in ${passedBy('overKnownZero')})`,
      isReached: within === curves.length,
    },
  ];
}

function stable(stability: Stability | null): Bar[] {
  const kinds = Object.values(stability?.usual ?? {});
  if (kinds.length === 0) return [];
  return [
    {
      what: 'same choice on a paraphrase, usual setting',
      goal: '≥ 85 %',
      forest: nothing,
      reached: `${share(mean(kinds))} on average, ${share(Math.min(...kinds))} at worst`,
      isReached: mean(kinds) >= 0.85,
    },
  ];
}

function quick(micros: number | null): Bar[] {
  return micros === null
    ? []
    : [
        {
          what: 'decision, 40 candidates, 1 KB',
          goal: '≤ 150 µs',
          forest: nothing,
          reached: `${micros.toFixed(0)} µs`,
          isReached: micros <= 150,
        },
      ];
}

/** What is to be reached, and what was. */
export function barsOf(evaluation: Evaluation): Bar[] {
  return [
    ...inDistribution(evaluation),
    ...heldOut(evaluation),
    ...learned(evaluation.families),
    ...stable(evaluation.stability),
    ...quick(evaluation.decisionMicros),
  ];
}

/** The bars as a table that says plainly what was not reached. */
export function summaryTable(bars: readonly Bar[], notes: readonly string[]): Table {
  const verdictOf = ({ isReached }: Bar): string =>
    isReached === null ? 'not measured' : isReached ? 'reached' : 'not reached';
  return {
    title: 'What was reached',
    notes: [
      `${bars.filter(({ isReached }) => isReached === true).length} of ${bars.length} goals were reached.`,
      ...notes,
    ],
    head: ['bar', 'goal', 'reached', '', 'random forest'],
    rows: bars.map((bar) => [bar.what, bar.goal, bar.reached, verdictOf(bar), bar.forest]),
  };
}
