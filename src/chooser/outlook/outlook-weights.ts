import { gramBuckets } from '../predictor/features/grams.js';
import {
  type Arrays,
  type ArraysOf,
  checkLengths,
  decodeWeights,
} from '../predictor/weights-file.js';

const arrays = {
  mean: ['f32', 'features'],
  scale: ['f32', 'features'],
  /**
   * Linear in the n-grams (by bucket, in units of `gramScale`) and the dense features: the columns
   * are `difficulty`, the log odds of the `ceiling`, those of being an everyday request, and one
   * column for each kind and each language.
   */
  grams: ['i8', 'buckets', 'columns'],
  gramScale: ['f32', 'columns'],
  dense: ['f32', 'features', 'columns'],
  bias: ['f32', 'columns'],
} as const satisfies Arrays;
/** The file of an outlook's weights. */
export const outlookFormat = { magic: 'SBLOOK02', arrays };

/** What reads a request's kind, language and difficulty, as numbers. */
export interface OutlookWeights extends ArraysOf<typeof arrays> {
  /** When and from what the weights were fitted, for people. */
  readonly name: string;
  readonly denseNames: readonly string[];
  /** Kinds of request, and the kind of task by which each is judged in the table of abilities. */
  readonly kinds: readonly { readonly name: string; readonly ability: string }[];
  /** Groups of languages; the first is English. */
  readonly languages: readonly string[];
  /** The quality falls from the ceiling to 0 by the logistic function of this slope. */
  readonly slope: number;
  /** The standard deviation of a difficulty that was read from a text of an unknown benchmark. */
  readonly difficultyError: number;
  /**
   * The fit draws difficulties together; for everyday requests this line draws them apart again:
   * `constant + factor * difficulty`, but not beyond `most`, above which nothing was stated.
   */
  readonly everydayDifficulty: {
    readonly constant: number;
    readonly factor: number;
    readonly most: number;
  };
}

/** The columns before those of kinds and languages. */
export const firstColumns = 3;

/** Reads weights from a file's bytes. @throws Error if they are no such file, or are cut off */
export function decodeOutlook(bytes: Uint8Array): OutlookWeights {
  const weights = decodeWeights(outlookFormat, bytes) as OutlookWeights;
  checkLengths(weights, arrays, {
    features: weights.denseNames.length,
    columns: firstColumns + weights.kinds.length + weights.languages.length,
    buckets: gramBuckets,
  });
  return weights;
}
