import { describe, expect, it } from 'vitest';
import type { EvaluatedPool } from '../../pools.js';
import { streamOnline } from '../../protocols/online-stream.js';
import { QualityPredictor } from '../../../../src/routing/predictor/quality-predictor.js';
import { fitRouter } from '../../fit/fit-router.js';
import { smallEvaluations } from '../../../helpers/small-evaluations.js';

const seen = smallEvaluations(1_000, 2),
  small = smallEvaluations(400);
/** The models as near to each other as those that one chooses among are: where all that are chosen fare badly alike, the ratings are held to be strict. */
const taught = { ...small, scores: small.scores.map((score) => 0.44 + 0.12 * score) };
const cells = (value: (row: number, model: number) => number): Float64Array =>
  Float64Array.from({ length: 3_000 }, (_, at) => value(Math.floor(at / 3), at % 3));
/** Prompts as the router knows them, on which the models do well that did badly before. */
const turned: EvaluatedPool = {
  name: 'turned',
  models: taught.models,
  rows: 1_000,
  places: Int32Array.from(seen.features.keys()),
  features: seen.features,
  groups: seen.groups,
  scores: cells((row, model) => seen.scores[row * 3 + [1, 0, 2][model]!]!),
  costs: cells(() => 1),
  outputTokens: cells(() => 100),
  inputTokens: new Float64Array(1_000).fill(100),
};
const mean = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a stream of rated choices', () => {
  const router = new QualityPredictor(
    fitRouter(taught, Int32Array.from(taught.features.keys()), {
      seed: 1,
      name: 'small',
      known: [0.6, 0.6, 0.5],
    }),
  );
  const regret = streamOnline(router, turned, { seed: 1, repeats: 2, exploration: 0.05 });

  it('shows less regret where it learns than the router has alone, to the end', () => {
    expect(regret).toMatchObject({ name: 'turned', rows: 1_000 });
    expect(mean(regret.learning)).toBeLessThan(0.7 * mean(regret.router));
    expect(regret.learning[9]).toBeLessThan(regret.router[9]!);
    expect(mean(regret.exploring)).toBeLessThan(0.7 * mean(regret.router));
  });

  it('is the same again', () => {
    expect(streamOnline(router, turned, { seed: 1, repeats: 2, exploration: 0.05 })).toEqual(
      regret,
    );
  });

  it('without exploration is learning alone', () => {
    const still = streamOnline(router, turned, { seed: 1, repeats: 1, exploration: 0 });
    expect(still.exploring).toEqual(still.learning);
  });
});
