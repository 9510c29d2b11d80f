import { createHash } from 'node:crypto';
import { encodePredictor } from '../encode-weights.js';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type PredictorWeights } from '../../../src/chooser/predictor/predictor-file.js';
import { printProgress } from '../../../src/cli/train.js';
import { fitShipped } from '../fit/fit-shipped.js';
import {
  type PublishedEvaluations,
  readPublishedEvaluations,
} from '../fit/published-evaluations.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeAtomically, writeSection } from './write-file.js';

/** Options of `npm run lab -- fit-shipped`. */
export interface FitShippedOptions {
  /** Folder of the weights and their model card. */
  readonly out: string | undefined;
  /** Folder of published evaluations; undefined: as `evaluationsFolder` finds it. */
  readonly data: string | undefined;
  /** A whole number, as typed. */
  readonly seed: string;
}

const weightsName = 'router.bin';
const cardName = 'MODEL_CARD.md';

/**
 * Fits the shipped predictor to published evaluations, writes its weights and describes the fit in
 * its model card. The same evaluations and seed give the same bytes. Prints progress to standard
 * error.
 * @returns one line that names what was written
 * @throws Error for people
 */
export async function fitShippedPredictor({ out, data, seed }: FitShippedOptions): Promise<string> {
  if (out === undefined) throw new Error('fit-shipped: --out DIR is required');
  if (!/^\d{1,9}$/.test(seed))
    throw new Error('fit-shipped: --seed must be a whole number of at most nine digits');
  const folder = evaluationsFolder('fit-shipped', data);
  const card = join(out, cardName);
  await access(card).catch((error: unknown) => {
    throw new Error(`fit-shipped: ${out} has no ${cardName}`, { cause: error });
  });
  process.stderr.write('  0 %  reading\n');
  const evaluations = readPublishedEvaluations(folder);
  const weights = withUniqueName(
    fitShipped(evaluations, { seed: Number(seed), name: 'router', onProgress: printProgress(100) }),
  );
  const bytes = encodePredictor(weights);
  await writeAtomically(join(out, weightsName), bytes);
  await writeSection(card, 'fit', fitTable(evaluations, weights, bytes, seed));
  return `${join(out, weightsName)}: ${weights.name}, ${bytes.length} bytes, sha256 ${sha256(bytes)}\n`;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Names weights after their content. Trained preferences refer to that name, so that they are never
 * applied on top of other weights.
 */
function withUniqueName(weights: PredictorWeights): PredictorWeights {
  return { ...weights, name: `router ${sha256(encodePredictor(weights)).slice(0, 12)}` };
}

function fitTable(
  { features, groups, scores, families, models }: PublishedEvaluations,
  { name, taskNames }: PredictorWeights,
  bytes: Uint8Array,
  seed: string,
): string {
  const measured = scores.reduce((sum, score) => sum + (Number.isNaN(score) ? 0 : 1), 0);
  const whole = (value: number): string => value.toLocaleString('en-US');
  const rows = [
    ['name', name],
    ['seed', seed],
    ['prompts', `${whole(features.length)}, ${whole(new Set(groups).size)} of them different`],
    ['scores', whole(measured)],
    ['models', whole(models.length)],
    ['kinds of tasks', `${whole(taskNames.length)} in ${whole(new Set(families).size)} families`],
    ['size', `${whole(bytes.length)} bytes`],
    ['sha256', `\`${sha256(bytes)}\``],
  ];
  return ['| fit | |', '|---|---|', ...rows.map(([what, value]) => `| ${what} | ${value} |`)].join(
    '\n',
  );
}
