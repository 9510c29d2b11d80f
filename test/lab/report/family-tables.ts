import type { Estimate } from '../../../src/chooser/training/custom/bootstrap.js';
import type { CurvePoint, LearningCurve } from '../protocols/learning-curve.js';
import { explorationShare, type FamilyResult } from '../tasks.js';
import {
  differenceWithInterval,
  formatCount,
  formatDifference,
  formatShare,
  noFigure,
  scoreWithInterval,
} from './format-figures.js';
import type { Table } from './tables.js';

/** Whether the whole interval of a difference is above or below 0, or neither. */
export type Standing = 'above' | 'within' | 'below';

/** The standing of a difference. */
function standingOf({ low, high }: Estimate): Standing {
  if (low > 0) return 'above';
  return high < 0 ? 'below' : 'within';
}

/** In how many families a method is above, within and below the zero router of hindsight. */
export function countStandings(
  families: readonly FamilyResult[],
  method: string,
): Record<Standing, number> {
  const counts = { above: 0, within: 0, below: 0 };
  for (const { means } of families) {
    const over = means[method]?.overZero;
    if (over) counts[standingOf(over)]++;
  }
  return counts;
}

/** Counts as words. */
export function describeStandings({ above, within, below }: Record<Standing, number>): string {
  return `above in ${above}, within its interval in ${within}, below in ${below}`;
}

/** The families that some source measured well enough to judge. */
export function judgedFamilies(families: readonly FamilyResult[]): FamilyResult[] {
  return families.filter(({ verdicts }) => verdicts.length > 0);
}

const familyHead = [
  'family',
  'prompts',
  'router: AIQ over zero router',
  '',
  'over zero router, known',
  'calibration error',
];

/** The held-out families, a row each; null if none was judged. */
export function familyTable(families: readonly FamilyResult[]): Table | null {
  const judged = judgedFamilies(families);
  if (judged.length === 0) return null;
  const standings = (method: string): string => describeStandings(countStandings(judged, method));
  return {
    title: 'A whole family held out',
    notes: [
      'AIQ is compared with the zero router of hindsight, which knows how the models do on the held-out family; "known" is the zero router of what was known before. Baselines learn from the other families, from prompts that the same models answered. Means over the sources of a family, weighted by prompts.',
      `The router: ${standings('router')}. The random forest: ${standings('random forest')}.`,
    ],
    head: familyHead,
    rows: judged.map(familyRow),
  };
}

function familyRow({ family, verdicts, means }: FamilyResult): string[] {
  const { router = {} } = means;
  const prompts = verdicts.reduce((sum, { rows }) => sum + rows, 0);
  return [
    `${family} (${verdicts.length === 1 ? '1 source' : `${verdicts.length} sources`})`,
    formatCount(prompts),
    differenceWithInterval(router.overZero),
    router.overZero ? standingOf(router.overZero) : noFigure,
    differenceWithInterval(router.overKnownZero),
    scoreWithInterval(router.calibration),
  ];
}

/** A figure that a learning curve should bring above 0. */
type CurveFigure = 'overZero' | 'overKnownZero' | 'gain';

/**
 * The smallest number of labelled rows from which on a curve stays above 0; null if it does not
 * within the numbers tried.
 */
export function rowsToPass({ points }: LearningCurve, figure: CurveFigure): number | null {
  const last = points.findLastIndex((point) => point[figure] <= 0);
  return points[last + 1]?.rows ?? null;
}

/** How fast an unseen family is learned; null if no family was large enough. */
export function curveTable(families: readonly FamilyResult[]): Table | null {
  const curves = families.flatMap(({ curve }) => curve ?? []);
  if (curves.length === 0) return null;
  const sizes = [...new Set(curves.flatMap(({ points }) => points.map(({ rows }) => rows)))].sort(
    (a, b) => a - b,
  );
  const cellAt = (points: readonly CurvePoint[], size: number): string => {
    const point = points.find(({ rows }) => rows === size);
    return point ? formatDifference(point.overZero) : noFigure;
  };
  const passed = (curve: LearningCurve, figure: CurveFigure): string =>
    String(rowsToPass(curve, figure) ?? 'not within those tried');
  return {
    title: 'Learning curve: labelled rows of a held-out family',
    notes: [
      'AIQ over the zero router of hindsight after training on so many rows of the family, as `signalbox train` does. Measured on the family\'s largest source, on the half from which no row was drawn. "Known" is the zero router that knows only the labelled rows.',
    ],
    head: [
      'family (source)',
      ...sizes.map((size) => `${size} rows`),
      'passes zero router, hindsight',
      'passes zero router, known',
      'passes the best single',
    ],
    rows: curves.map((curve) => [
      curve.name,
      ...sizes.map((size) => cellAt(curve.points, size)),
      passed(curve, 'overZero'),
      passed(curve, 'overKnownZero'),
      passed(curve, 'gain'),
    ]),
  };
}

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What online learning achieves on an unseen family; null if no family was large enough. */
export function onlineTable(families: readonly FamilyResult[]): Table | null {
  const streams = families.flatMap(({ online }) => online ?? []);
  if (streams.length === 0) return null;
  const cells = (regret: Float64Array): string[] => [
    formatDifference(meanOf(regret)),
    formatDifference(regret.at(-1)!),
  ];
  return {
    title: 'Online: a held-out family as a stream',
    notes: [
      `Regret against the best single model of hindsight: the mean over the whole stream, and in its last tenth; below 0 is better than that model. The router sees only the score of the model that it chose. Exploring: ${formatShare(explorationShare)} of the decisions try another model.`,
    ],
    head: [
      'family (source)',
      'prompts',
      'router alone',
      'last tenth',
      'learning',
      'last tenth',
      'learning and exploring',
      'last tenth',
    ],
    rows: streams.map(({ name, rows, router, learning, exploring }) => [
      name,
      formatCount(rows),
      ...[router, learning, exploring].flatMap(cells),
    ]),
  };
}
