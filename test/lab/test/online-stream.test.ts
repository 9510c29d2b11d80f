import { describe, expect, it } from 'vitest';
import type { EvaluatedPool } from '../pools.js';
import { streamOnline } from '../protocols/online-stream.js';
import { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { fitPredictor } from '../fit/fit-predictor.js';
import { smallEvaluations } from '../../helpers/small-evaluations.js';

const seen = smallEvaluations(1_000, 2),
  small = smallEvaluations(400);
/**
 * The models are about as good as each other, as real candidates are. If all chosen models did
 * badly, the learner would take the ratings for strict.
 */
const taught = { ...small, scores: small.scores.map((score) => 0.44 + 0.12 * score) };
const cells = (value: (row: number, model: number) => number): Float64Array =>
  Float64Array.from({ length: 3_000 }, (_, at) => value(Math.floor(at / 3), at % 3));
/** Prompts that the router knows, but the models that did badly before now do well. */
const turned: EvaluatedPool = {
  name: 'turned',
  models: taught.models,
  rows: 1_000,
  places: Int32Array.from(seen.features.keys()),
  features: seen.features,
  prompts: seen.prompts,
  groups: seen.groups,
  scores: cells((row, model) => seen.scores[row * 3 + [1, 0, 2][model]!]!),
  costs: cells(() => 1),
  outputTokens: cells(() => 100),
  inputTokens: new Float64Array(1_000).fill(100),
};
const mean = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a stream of rated choices', () => {
  const predictor = new QualityPredictor(
    fitPredictor(taught, Int32Array.from(taught.features.keys()), {
      seed: 1,
      name: 'small',
      known: [0.6, 0.6, 0.5],
    }),
  );
  const regret = streamOnline(predictor, turned, { seed: 1, repeats: 2, exploration: 0.05 });

  it('has less regret with learning than without, up to its end', () => {
    expect(regret).toMatchObject({ name: 'turned', rows: 1_000 });
    expect(mean(regret.learning)).toBeLessThan(0.7 * mean(regret.router));
    expect(regret.learning[9]).toBeLessThan(regret.router[9]!);
    expect(mean(regret.exploring)).toBeLessThan(0.7 * mean(regret.router));
  });

  it('gives the same regret for the same seed', () => {
    expect(streamOnline(predictor, turned, { seed: 1, repeats: 2, exploration: 0.05 })).toEqual(
      regret,
    );
  });

  it('without exploration equals plain learning', () => {
    const still = streamOnline(predictor, turned, { seed: 1, repeats: 1, exploration: 0 });
    expect(still.exploring).toEqual(still.learning);
  });
});
