import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePredictor } from '../../src/routing/predictor/predictor-file.js';
import type { PredictorWeights } from '../../src/routing/predictor/predictor-weights.js';
import { fitShipped } from './fit/fit-shipped.js';
import {
  type PublishedEvaluations,
  readPublishedEvaluations,
} from './fit/published-evaluations.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeSection, writeWhole } from '../../src/cli/write-file.js';
import { tellProgress } from '../../src/cli/tell-progress.js';

/** What `signalbox train --shipped` is told. */
export interface TrainRouterWishes {
  /** The folder of the router and its card. */
  readonly shipped: string;
  readonly data: string | undefined;
  /** A whole number as it was typed; absent: 1. */
  readonly seed: string | undefined;
}

const routerName = 'router.bin',
  cardName = 'MODEL_CARD.md';

/**
 * `signalbox train --shipped <folder>`: fits the router that is shipped to published evaluations and says in its card what it was fitted to.
 * The same evaluations and seed give the same bytes. Progress goes to standard error.
 * @throws Error that says what is wrong
 */
export async function trainRouter({
  shipped,
  data,
  seed = '1',
}: TrainRouterWishes): Promise<string> {
  if (!/^\d{1,9}$/.test(seed))
    throw new Error('train: --seed is a whole number of at most nine digits');
  const folder = evaluationsFolder('train', data),
    card = join(shipped, cardName);
  await access(card).catch((error: unknown) => {
    throw new Error(`train: there is no ${cardName} in ${shipped}`, { cause: error });
  });
  process.stderr.write('  0 %  reading\n');
  const evaluations = readPublishedEvaluations(folder);
  const weights = named(
    fitShipped(evaluations, { seed: Number(seed), name: 'router', onProgress: tellProgress(100) }),
  );
  const bytes = encodePredictor(weights);
  await writeWhole(join(shipped, routerName), bytes);
  await writeSection(card, 'fit', fitTable(evaluations, weights, bytes, seed));
  return `${join(shipped, routerName)}: ${weights.name}, ${bytes.length} bytes, sha256 ${sha256(bytes)}\n`;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Weights under a name of their own: what was trained on top of others must not be taken for theirs. */
function named(weights: PredictorWeights): PredictorWeights {
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
  const lines = [
    ['name', name],
    ['seed', seed],
    ['prompts', `${whole(features.length)}, ${whole(new Set(groups).size)} of them different`],
    ['scores', whole(measured)],
    ['models', whole(models.length)],
    ['kinds of tasks', `${whole(taskNames.length)} in ${whole(new Set(families).size)} families`],
    ['size', `${whole(bytes.length)} bytes`],
    ['sha256', `\`${sha256(bytes)}\``],
  ];
  return ['| fit | |', '|---|---|', ...lines.map(([what, value]) => `| ${what} | ${value} |`)].join(
    '\n',
  );
}
