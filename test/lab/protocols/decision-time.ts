import { defaults } from '../../../src/config/fill.js';
import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';
import type { PublishedEvaluations } from '../fit/published-evaluations.js';
import { candidateOf } from './stability.js';

const candidateCount = 40;
const promptLength = 1024;
const batches = 60;
const batchSize = 100;
/** Batches before the measurement, for the compiler: a running gateway is warm. */
const warmUpBatches = 60;

/** Prompts of a kilobyte, and the models to choose from. */
export interface DecisionSample {
  readonly texts: readonly string[];
  readonly models: readonly string[];
}

/** Cuts the sample from the published prompts. */
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
 * Processor time of one decision in microseconds, from the text to the order of 40 candidates: the
 * median of batches of prompts of a kilobyte, once the code is warm. Counts the whole process, so
 * other threads should be idle.
 */
export async function measureDecision(
  { texts, models }: DecisionSample,
  predictor: QualityPredictor,
): Promise<number> {
  const ranker = createLearnedRanker({ ...defaults.routing, predictor });
  const candidates = Array.from({ length: candidateCount }, (_, at) =>
    candidateOf(models[Math.floor((at * models.length) / candidateCount)]!),
  );
  const times: number[] = [];
  for (let batch = -warmUpBatches; batch < batches; batch++) {
    const startedAt = process.cpuUsage();
    for (const content of texts)
      ranker.rank(
        { messages: [{ role: 'user', content }], promptTokens: promptLength / 4 },
        candidates,
      );
    const { user, system } = process.cpuUsage(startedAt);
    if (batch >= 0) times.push((user + system) / batchSize);
  }
  return times.sort((a, b) => a - b)[batches >> 1]!;
}
