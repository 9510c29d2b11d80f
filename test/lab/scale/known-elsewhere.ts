import type { ScaleRow } from './scale-rows.js';

/** With fewer answers a model's share says little. */
const minAnswers = 20;

type Shares = ReadonlyMap<string, number>;

/** By model and effort: the share of texts of a family that it answered well. */
function sharesOf(rows: readonly ScaleRow[]): Shares {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { answers } of rows)
    for (const { model, effort, score } of answers) {
      const name = `${model} ${effort}`;
      const known = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: known.sum + score, count: known.count + 1 });
    }
  return new Map(
    [...sums].flatMap(([name, { sum, count }]) =>
      count < minAnswers ? [] : [[name, sum / count]],
    ),
  );
}

/** `textclass:toxicity_ZH` is one task in Chinese. */
const taskOf = (family: string): string => family.slice(0, family.lastIndexOf('_') + 1);

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

/**
 * How far off a quality would be that is told instead of predicted: each model's mean on the same
 * task in other languages, or on all other tasks if there are none. By family, for the families
 * whose names begin with `prefix`.
 */
export function errorsIfKnownElsewhere(
  rows: readonly ScaleRow[],
  prefix: string,
): ReadonlyMap<string, number> {
  const byFamily = new Map<string, ScaleRow[]>();
  for (const row of rows)
    if (row.family.startsWith(prefix))
      byFamily.set(row.family, [...(byFamily.get(row.family) ?? []), row]);
  const shares = new Map([...byFamily].map(([family, own]) => [family, sharesOf(own)]));
  return new Map(
    [...shares].flatMap(([family, own]) => {
      const others = [...shares].filter(([other]) => other !== family);
      const same = others.filter(([other]) => taskOf(other) === taskOf(family));
      const told = (same.length > 0 ? same : others).map(([, one]) => one);
      const errors = [...own].flatMap(([name, share]) => {
        const elsewhere = told.flatMap((one) => one.get(name) ?? []);
        return elsewhere.length === 0 ? [] : [Math.abs(meanOf(elsewhere) - share)];
      });
      return errors.length === 0 ? [] : [[family, meanOf(errors)]];
    }),
  );
}
