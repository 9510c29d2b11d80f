import { defaults } from '../../../src/config/fill.js';
import type { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import { createLearnedRanker } from '../../../src/routing/rankers/learned-ranker.js';
import type { PublishedEvaluations } from '../fit/published-evaluations.js';
import { candidateOf } from './stability.js';

const candidateCount = 40,
  promptLength = 1024;
/** The first batches are for the compiler: a gateway that runs has long been through them. */
const warmUpBatches = 60,
  batches = 60,
  batchSize = 100;

/** Prompts of a kilobyte, and the models to choose from. */
export interface DecisionSample {
  readonly texts: readonly string[];
  readonly models: readonly string[];
}

/** Cuts the sample out of the published prompts. */
export function sampleForDecisions({
  prompts,
  models,
}: Pick<PublishedEvaluations, 'prompts' | 'models'>): DecisionSample {
  const text = prompts
    .slice(0, batchSize * 20)
    .join('\n')
    .padEnd(promptLength * batchSize, 'a prompt of some words; ');
  return {
    texts: Array.from({ length: batchSize }, (_, at) =>
      text.slice(at * promptLength, (at + 1) * promptLength),
    ),
    models,
  };
}

/**
 * Microseconds of the processor for one decision, from the text to the order of 40 candidates, for prompts of a kilobyte: the median of batches,
 * once the code is warm. The whole process is counted: other threads should rest.
 */
export async function measureDecision(
  { texts, models }: DecisionSample,
  router: QualityPredictor,
): Promise<number> {
  const ranker = createLearnedRanker({ predictor: router, ...defaults.routing });
  const candidates = Array.from({ length: candidateCount }, (_, at) =>
    candidateOf(models[Math.floor((at * models.length) / candidateCount)]!),
  );
  const times: number[] = [];
  for (let batch = -warmUpBatches; batch < batches; batch++) {
    const startedAt = process.cpuUsage();
    for (const content of texts)
      await ranker.rank(
        { messages: [{ role: 'user', content }], promptTokens: promptLength / 4 },
        candidates,
      );
    const { user, system } = process.cpuUsage(startedAt);
    if (batch >= 0) times.push((user + system) / batchSize);
  }
  return times.sort((a, b) => a - b)[batches >> 1]!;
}
