import { denseNames } from '../../../src/chooser/predictor/features/features.js';
import { meansOf, type Learner } from './learner.js';

const parts = 10;
/** How many rows a model's overall mean counts as. */
const priorRows = 5;
const lengthPlace = denseNames.indexOf('chars');

/** Uses the length of the prompt only: mean scores in each tenth of the prompts by length. */
export const lengthOnly: Learner = (rows) => {
  const width = rows.models.length;
  const means = meansOf(rows);
  const lengths = rows.features.map(({ dense }) => dense[lengthPlace]!);
  const sorted = [...lengths].sort((a, b) => a - b);
  const bounds = Array.from(
    { length: parts - 1 },
    (_, part) => sorted[Math.floor(((part + 1) * sorted.length) / parts)]!,
  );
  const partOf = (length: number): number => bounds.filter((bound) => length >= bound).length;
  const sums = Array.from({ length: parts }, () => means.map((mean) => mean * priorRows));
  const counts = new Array<number>(parts).fill(priorRows);
  lengths.forEach((length, row) => {
    const part = partOf(length);
    counts[part]!++;
    for (let model = 0; model < width; model++)
      sums[part]![model]! += rows.scores[row * width + model]!;
  });
  return ({ features }) => {
    const part = partOf(features.dense[lengthPlace]!);
    return sums[part]!.map((sum) => sum / counts[part]!);
  };
};
