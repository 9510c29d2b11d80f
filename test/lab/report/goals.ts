import type { Evaluation } from '../run-evaluation.js';
import type { FamilyResult } from '../tasks.js';
import type { Stability } from '../protocols/stability.js';
import { countStandings, describeStandings, judgedFamilies, rowsToPass } from './family-tables.js';
import {
  differenceWithInterval,
  formatShare,
  noFigure,
  scoreWithInterval,
  shareWithInterval,
} from './format-figures.js';
import type { Table } from './tables.js';

/** A goal, and what the evaluation measured. */
export interface Goal {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  /** The same of the random forest, the strongest baseline. */
  readonly forest: string;
  /** Null if it was not measured. */
  readonly isReached: boolean | null;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function goalsInDistribution({ inDistribution: [verdict] }: Evaluation): Goal[] {
  if (!verdict) return [];
  const { router = {}, 'random forest': forest = {} } = verdict.methods;
  const pairs = [
    ['APGR, first pair of models', 'apgr'],
    ['APGR, later pair of models', 'apgrLater'],
  ] as const;
  return [
    {
      what: `${verdict.name}: cost to equal the best single model`,
      target: '≤ 30 %',
      measured: shareWithInterval(router.costOfBest),
      forest: shareWithInterval(forest.costOfBest),
      isReached: router.costOfBest ? router.costOfBest.value <= 0.3 : null,
    },
    ...pairs.map(([what, figure]) => ({
      what: `${verdict.name}: ${what}`,
      target: '≥ 0.95',
      measured: scoreWithInterval(router[figure]),
      forest: scoreWithInterval(forest[figure]),
      isReached: router[figure] ? router[figure].value >= 0.95 : null,
    })),
    {
      what: `${verdict.name}: accuracy over the best single model`,
      target: 'interval above 0',
      measured: differenceWithInterval(router.gain),
      forest: differenceWithInterval(forest.gain),
      isReached: router.gain ? router.gain.low > 0 : null,
    },
    {
      what: `${verdict.name}: calibration error`,
      target: '≤ 0.03',
      measured: scoreWithInterval(router.calibration),
      forest: scoreWithInterval(forest.calibration),
      isReached: router.calibration ? router.calibration.value <= 0.03 : null,
    },
  ];
}

function goalsHeldOut({ families }: Evaluation): Goal[] {
  const judged = judgedFamilies(families);
  if (judged.length === 0) return [];
  const counts = countStandings(judged, 'router');
  const errorsOf = (method: string): number[] =>
    judged.flatMap(({ means }) => means[method]?.calibration?.value ?? []);
  const describeErrors = (errors: readonly number[]): string =>
    errors.length === 0
      ? noFigure
      : `${mean(errors).toFixed(3)} on average, ${Math.max(...errors).toFixed(3)} at worst`;
  const errors = errorsOf('router');
  return [
    {
      what: 'families held out: AIQ against the zero router',
      target: 'never below beyond the interval, above in most',
      measured: `${describeStandings(counts)} of ${judged.length}`,
      forest: describeStandings(countStandings(judged, 'random forest')),
      isReached: counts.below === 0 && counts.above > judged.length / 2,
    },
    {
      what: 'families held out: calibration error',
      target: '≤ 0.08',
      measured: describeErrors(errors),
      forest: describeErrors(errorsOf('random forest')),
      isReached: errors.length === judged.length && mean(errors) <= 0.08,
    },
  ];
}

const targetRows = 200;

function goalsOfLearning(families: readonly FamilyResult[]): Goal[] {
  const curves = families.flatMap(({ curve }) => curve ?? []);
  if (curves.length === 0) return [];
  const passedBy = (figure: 'overZero' | 'overKnownZero'): number =>
    curves.filter((curve) => (rowsToPass(curve, figure) ?? Infinity) <= targetRows).length;
  const passed = passedBy('overZero');
  return [
    {
      what: 'learning curve: rows until the zero router is passed',
      target: `≤ ${targetRows}`,
      measured: `by ${targetRows} rows in ${passed} of ${curves.length} families (the zero router of the labelled rows: in ${passedBy('overKnownZero')})`,
      forest: noFigure,
      isReached: passed === curves.length,
    },
  ];
}

function goalsOfStability(stability: Stability | null): Goal[] {
  const shares = Object.values(stability?.byDefault ?? {});
  if (shares.length === 0) return [];
  return [
    {
      what: 'same choice for a paraphrase, without a preference',
      target: '≥ 85 %',
      measured: `${formatShare(mean(shares))} on average, ${formatShare(Math.min(...shares))} at worst`,
      forest: noFigure,
      isReached: mean(shares) >= 0.85,
    },
  ];
}

function goalsOfSpeed(micros: number | null): Goal[] {
  if (micros === null) return [];
  return [
    {
      what: 'decision, 40 candidates, 1 KB',
      target: '≤ 150 µs',
      measured: `${micros.toFixed(0)} µs`,
      forest: noFigure,
      isReached: micros <= 150,
    },
  ];
}

/** The goals of the router, and what an evaluation measured of each. */
export function goalsOf(evaluation: Evaluation): Goal[] {
  return [
    ...goalsInDistribution(evaluation),
    ...goalsHeldOut(evaluation),
    ...goalsOfLearning(evaluation.families),
    ...goalsOfStability(evaluation.stability),
    ...goalsOfSpeed(evaluation.decisionMicros),
  ];
}

/** The goals as a table that says plainly which were not reached. */
export function goalTable(goals: readonly Goal[], notes: readonly string[]): Table {
  const verdictOf = ({ isReached }: Goal): string => {
    if (isReached === null) return 'not measured';
    return isReached ? 'reached' : 'not reached';
  };
  const reached = goals.filter(({ isReached }) => isReached === true).length;
  return {
    title: 'Goals',
    notes: [`${reached} of ${goals.length} goals were reached.`, ...notes],
    head: ['goal', 'target', 'measured', '', 'random forest'],
    rows: goals.map((goal) => [
      goal.what,
      goal.target,
      goal.measured,
      verdictOf(goal),
      goal.forest,
    ]),
  };
}
