import type { Estimate } from '../../src/training/custom/bootstrap.js';
import type { FigureName } from './figures.js';
import { figureWithInterval, type DrawnVerdict, type Figures } from './judge.js';

/** Figures of several verdicts on different rows: their means by rows, with intervals. What one of them does not tell is absent. */
export function meanOfVerdicts(
  verdicts: readonly DrawnVerdict[],
): Readonly<Record<string, Figures>> {
  const whole = verdicts.reduce((sum, { rows }) => sum + rows, 0);
  const shares = verdicts.map(({ rows }) => rows / whole);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value, at) => sum + shares[at]! * value, 0);
  const ways: Record<string, Figures> = {};
  for (const key of verdicts[0]?.draws.keys() ?? []) {
    const [way, figure] = key.split('|') as [string, FigureName];
    const values = verdicts
      .map((verdict) => verdict.ways[way]?.[figure])
      .filter((estimate): estimate is Estimate => estimate !== undefined);
    if (values.length < verdicts.length) continue;
    const draws = verdicts[0]!.draws
      .get(key)!
      .map((_, draw) => mean(verdicts.map((verdict) => verdict.draws.get(key)![draw]!)));
    (ways[way] ??= {})[figure] = figureWithInterval(
      figure,
      mean(values.map(({ value }) => value)),
      draws,
    );
  }
  return ways;
}
