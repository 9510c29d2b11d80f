import { beforeAll, describe, expect, it } from 'vitest';
import { featuresOf } from '../../../src/routing/predictor/features/features.js';
import { decodePredictor, encodePredictor } from '../../../src/routing/predictor/predictor-file.js';
import { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import type { PredictorWeights } from '../../../src/routing/predictor/predictor-weights.js';
import {
  averageQuality,
  curveOf,
  hullOf,
  singlesOf,
  type Pool,
} from '../../../src/training/custom/cost-curve.js';
import { fitRouter } from '../fit/fit-router.js';
import { smallEvaluations, smallModels } from '../../helpers/small-evaluations.js';

const known = [0.6, 0.6, 0.5];
const trained = smallEvaluations(600, 1);
const rows = Int32Array.from(trained.features, (_, row) => row);
const fit = (seed: number): PredictorWeights =>
  fitRouter(trained, rows, { seed, name: 'small', known });

describe('a router fitted to evaluations', () => {
  let weights: PredictorWeights;
  let router: QualityPredictor;
  beforeAll(() => {
    weights = fit(1);
    router = new QualityPredictor(weights);
  });

  it('passes the zero router on rows that it never saw', () => {
    const held = smallEvaluations(400, 2);
    const price = [3, 3, 0.2];
    const costs = Float64Array.from(held.scores, (_, at) => price[at % 3]! * 1e-3);
    const pool: Pool = {
      models: smallModels,
      rows: 400,
      scores: Float64Array.from(held.scores),
      costs,
    };
    const quality = new Float64Array(costs.length);
    held.features.forEach((features, row) => {
      const reading = router.read(features);
      for (let model = 0; model < 3; model++)
        quality[row * 3 + model] = router.expect(reading, model).quality;
    });
    const singles = singlesOf(pool);
    const gained =
      averageQuality(hullOf(curveOf(pool, { quality, cost: costs })), 0.0002, 0.003) -
      averageQuality(hullOf(singles), 0.0002, 0.003);
    expect(gained).toBeGreaterThan(0.15);
  });

  it('is the same to the last bit for the same seed, and another for another', () => {
    const again = encodePredictor(fit(1));
    expect(again.equals(encodePredictor(weights))).toBe(true);
    expect(encodePredictor(fit(2)).equals(again)).toBe(false);
  });

  it('keeps chances between 0 and 1 and knows a strange text for one', () => {
    const near = router.read(smallEvaluations(1, 3).features[0]!);
    const far = router.read(
      featuresOf({
        messages: [
          { role: 'user', content: '请用中文写一首关于秋天的诗，要押韵，并且提到月亮和故乡。' },
        ],
      }),
    );
    expect(near.gate).toBeGreaterThan(far.gate);
    for (const reading of [near, far]) {
      for (let model = 0; model < 3; model++) {
        const { quality, uncertainty, outputTokens } = router.expect(reading, model);
        expect(quality).toBeGreaterThan(0);
        expect(quality).toBeLessThan(1);
        expect(uncertainty).toBeGreaterThan(0);
        expect(outputTokens).toBeGreaterThanOrEqual(1);
      }
    }
    expect(router.expect(far, 0).uncertainty).toBeGreaterThan(router.expect(near, 0).uncertainty);
  });

  it('expects more of a model the abler it is known to be, where nobody measured it', () => {
    const reading = router.read(trained.features[0]!);
    const qualities = [0.2, 0.4, 0.6, 0.8, 0.95].map(
      (ability) => router.guess(reading, ability).quality,
    );
    expect(qualities).toEqual([...qualities].sort((a, b) => a - b));
  });

  it('expects longer answers where answers were longer', () => {
    const [code, facts] = [0, 1].map(
      (task) =>
        router.expect(router.read(trained.features[trained.tasks.indexOf(task)]!), 0).outputTokens,
    );
    expect(code).toBeGreaterThan(2 * facts!);
  });

  it('survives being written to a file and read again', () => {
    const read = decodePredictor(encodePredictor(weights));
    expect(read).toEqual(weights);
  });

  it.each([
    ['is empty', (bytes: Buffer) => bytes.subarray(0, 0), /not a file of predictor weights/],
    [
      'is something else',
      () => Buffer.from('{"hello": "world, this is JSON"}'),
      /not a file of predictor weights/,
    ],
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 400), /cut off/],
  ])('is refused where its file %s', (_, damage, message) => {
    expect(() => decodePredictor(damage(encodePredictor(weights)))).toThrow(message);
  });
});
