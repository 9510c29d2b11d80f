import { denseNames } from '../../../src/routing/predictor/features/features.js';
import { meansOf, type Learner } from './learner.js';

const parts = 10;
/** Rows that a model's overall mean is worth. */
const priorRows = 5;
const lengthPlace = denseNames.indexOf('chars');

/** Looks at nothing but the length of the prompt: the mean of each tenth of the prompts by length. */
export const lengthOnly: Learner = (rows) => {
  const width = rows.models.length,
    means = meansOf(rows);
  const lengths = rows.features.map(({ dense }) => dense[lengthPlace]!);
  const sorted = [...lengths].sort((a, b) => a - b);
  const bounds = Array.from(
    { length: parts - 1 },
    (_, part) => sorted[Math.floor(((part + 1) * sorted.length) / parts)]!,
  );
  const partAt = (length: number): number => bounds.filter((bound) => length >= bound).length;
  const sums = Array.from({ length: parts }, () => means.map((mean) => mean * priorRows)),
    counts = new Array<number>(parts).fill(priorRows);
  lengths.forEach((length, row) => {
    const part = partAt(length);
    counts[part]!++;
    for (let model = 0; model < width; model++)
      sums[part]![model]! += rows.scores[row * width + model]!;
  });
  return ({ dense }) => {
    const part = partAt(dense[lengthPlace]!);
    return sums[part]!.map((sum) => sum / counts[part]!);
  };
};
