import type { Estimate } from '../../src/chooser/training/custom/bootstrap.js';
import type { FigureName } from './figures.js';
import { figureWithInterval, type DrawnVerdict, type MethodFigures } from './judge.js';

/**
 * Means of several verdicts on different rows, weighted by their rows, with intervals. A figure
 * that
 * one of the verdicts lacks is absent.
 */
export function meanOfVerdicts(
  verdicts: readonly DrawnVerdict[],
): Readonly<Record<string, MethodFigures>> {
  const total = verdicts.reduce((sum, { rows }) => sum + rows, 0);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value, at) => sum + (verdicts[at]!.rows / total) * value, 0);
  const methods: Record<string, MethodFigures> = {};
  for (const key of verdicts[0]?.draws.keys() ?? []) {
    const [method, figure] = key.split('|') as [string, FigureName];
    const values = verdicts
      .map((verdict) => verdict.methods[method]?.[figure])
      .filter((estimate): estimate is Estimate => estimate !== undefined);
    if (values.length < verdicts.length) continue;
    const draws = verdicts[0]!.draws
      .get(key)!
      .map((_, draw) => mean(verdicts.map((verdict) => verdict.draws.get(key)![draw]!)));
    (methods[method] ??= {})[figure] = figureWithInterval(
      figure,
      mean(values.map(({ value }) => value)),
      draws,
    );
  }
  return methods;
}
