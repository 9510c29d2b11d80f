import type { Estimate } from '../../../src/training/custom/bootstrap.js';
import type { CurvePoint, LearningCurve } from '../protocols/learning-curve.js';
import { triedShare, type FamilyResult } from '../tasks.js';
import type { Table } from './tables.js';
import { asDifference, asScore, difference, nothing, share, whole } from './written.js';

/** Where a difference stands: above or below nothing with its whole interval, or neither. */
export type Standing = 'above' | 'within' | 'below';

/** Where a difference stands. */
export function standingOf({ low, high }: Estimate): Standing {
  if (low > 0) return 'above';
  return high < 0 ? 'below' : 'within';
}

/** How many families stand where, of one way to choose, against the zero router of hindsight. */
export function countStandings(
  families: readonly FamilyResult[],
  way: string,
): Record<Standing, number> {
  const counts = { above: 0, within: 0, below: 0 };
  for (const { means } of families) {
    const over = means[way]?.overZero;
    if (over) counts[standingOf(over)]++;
  }
  return counts;
}

/** Counts in words. */
export function standingsInWords({ above, within, below }: Record<Standing, number>): string {
  return `above in ${above}, within its interval in ${within}, below in ${below}`;
}

/** What is held out whole: a line for each family. */
export function familyTable(families: readonly FamilyResult[]): Table | null {
  const judged = families.filter(({ verdicts }) => verdicts.length > 0);
  if (judged.length === 0) return null;
  return {
    title: 'A whole family held out',
    notes: [
      'AIQ against that of the zero router of hindsight, which knows how the models do on the held-out family; "known" is the zero router of what was known before. Baselines learn from the other families, where the same models answered them. Means of the sources of a family by their prompts.',
      `The router: ${standingsInWords(countStandings(judged, 'router'))}. The random forest: ${standingsInWords(countStandings(judged, 'random forest'))}.`,
    ],
    head: [
      'family',
      'prompts',
      'router: AIQ over zero router',
      '',
      'over zero router, known',
      'over the best single',
      'calibration error',
      'forest: AIQ over zero router',
      'logistic: AIQ over zero router',
    ],
    rows: judged.map(
      ({
        family,
        verdicts,
        means: { router = {}, 'random forest': forest = {}, 'logistic heads': logistic = {} },
      }) => [
        `${family} (${verdicts.length === 1 ? '1 source' : `${verdicts.length} sources`})`,
        whole(verdicts.reduce((sum, { rows }) => sum + rows, 0)),
        asDifference(router.overZero),
        router.overZero ? standingOf(router.overZero) : nothing,
        asDifference(router.overKnownZero),
        asDifference(router.gain),
        asScore(router.calibration),
        asDifference(forest.overZero),
        asDifference(logistic.overZero),
      ],
    ),
  };
}

/** The least number of labelled rows from which on a curve stays above nothing; null where it does not within what was tried. */
export function rowsToPass(
  { points }: LearningCurve,
  figure: 'overZero' | 'overKnownZero' | 'gain',
): number | null {
  const last = points.findLastIndex((point) => point[figure] <= 0);
  return points[last + 1]?.rows ?? null;
}

/** How fast a family is learned that no fit saw. */
export function curveTable(families: readonly FamilyResult[]): Table | null {
  const curves = families.flatMap(({ family, curve }) => (curve ? [{ family, curve }] : []));
  if (curves.length === 0) return null;
  const sizes = [
    ...new Set(curves.flatMap(({ curve }) => curve.points.map(({ rows }) => rows))),
  ].sort((a, b) => a - b);
  const at = (points: readonly CurvePoint[], size: number): string => {
    const point = points.find(({ rows }) => rows === size);
    return point ? difference(point.overZero) : nothing;
  };
  const passed = (curve: LearningCurve, figure: Parameters<typeof rowsToPass>[1]): string =>
    String(rowsToPass(curve, figure) ?? 'not within those tried');
  return {
    title: 'Learning curve: labelled rows of a held-out family',
    notes: [
      'AIQ over the zero router of hindsight after training on so many rows of the family, as `signalbox train` does; on its largest source, on the half that no row was drawn from. "Known": the zero router that knows the labelled rows alone.',
    ],
    head: [
      'family (source)',
      ...sizes.map((size) => `${size} rows`),
      'passes zero router, hindsight',
      'passes zero router, known',
      'passes the best single',
    ],
    rows: curves.map(({ curve }) => [
      curve.name,
      ...sizes.map((size) => at(curve.points, size)),
      passed(curve, 'overZero'),
      passed(curve, 'overKnownZero'),
      passed(curve, 'gain'),
    ]),
  };
}

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What online learning makes of a family that no fit saw. */
export function onlineTable(families: readonly FamilyResult[]): Table | null {
  const streams = families.flatMap(({ online }) => online ?? []);
  if (streams.length === 0) return null;
  const inTwo = (values: Float64Array): string[] => [
    difference(meanOf(values)),
    difference(values.at(-1)!),
  ];
  return {
    title: 'Online: a held-out family as a stream',
    notes: [
      `Regret against the best single model of hindsight: mean over the whole stream, and in its last tenth; below 0 is better than that model. Only the score of the model that was chosen is told. Exploring: ${share(triedShare)} of the decisions try another model.`,
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
      whole(rows),
      ...[router, learning, exploring].flatMap(inTwo),
    ]),
  };
}
