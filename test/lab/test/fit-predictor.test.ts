import { beforeAll, describe, expect, it } from 'vitest';
import { encodePredictor } from '../encode-weights.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';
import {
  decodePredictor,
  type PredictorWeights,
} from '../../../src/chooser/predictor/predictor-file.js';
import { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import {
  averageQuality,
  curveOf,
  hullOf,
  type Pool,
  singlesOf,
} from '../../../src/chooser/training/custom/cost-curve.js';
import { fitPredictor } from '../fit/fit-predictor.js';
import { smallEvaluations, smallModels } from '../../helpers/small-evaluations.js';

const known = [0.6, 0.6, 0.5];
const trained = smallEvaluations(600, 1);
const rows = Int32Array.from(trained.features, (_, row) => row);
const fit = (seed: number): PredictorWeights =>
  fitPredictor(trained, rows, { seed, name: 'small', known });

describe('a predictor fitted to evaluations', { timeout: 120_000 }, () => {
  let weights: PredictorWeights;
  let predictor: QualityPredictor;
  beforeAll(() => {
    weights = fit(1);
    predictor = new QualityPredictor(weights);
  });

  it('beats the zero router on unseen rows', () => {
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
      const reading = predictor.read(features);
      for (let model = 0; model < 3; model++)
        quality[row * 3 + model] = predictor.expect(reading, model).quality;
    });
    const singles = singlesOf(pool);
    const gained =
      averageQuality(hullOf(curveOf(pool, { quality, cost: costs })), 0.0002, 0.003) -
      averageQuality(hullOf(singles), 0.0002, 0.003);
    expect(gained).toBeGreaterThan(0.15);
  });

  it('is the same to the last bit for the same seed, and differs for another', () => {
    const again = encodePredictor(fit(1));
    expect(again.equals(encodePredictor(weights))).toBe(true);
    expect(encodePredictor(fit(2)).equals(again)).toBe(false);
  });

  it('keeps chances between 0 and 1 and recognises a strange text', () => {
    const near = predictor.read(smallEvaluations(1, 3).features[0]!);
    const far = predictor.read(
      featuresOf({
        messages: [
          { role: 'user', content: '请用中文写一首关于秋天的诗，要押韵，并且提到月亮和故乡。' },
        ],
      }),
    );
    expect(near.gate).toBeGreaterThan(far.gate);
    for (const reading of [near, far]) {
      for (let model = 0; model < 3; model++) {
        const { quality, uncertainty, outputTokens } = predictor.expect(reading, model);
        expect(quality).toBeGreaterThan(0);
        expect(quality).toBeLessThan(1);
        expect(uncertainty).toBeGreaterThan(0);
        expect(outputTokens).toBeGreaterThanOrEqual(1);
      }
    }
    expect(predictor.expect(far, 0).uncertainty).toBeGreaterThan(
      predictor.expect(near, 0).uncertainty,
    );
  });

  it('expects more of an unmeasured model the higher its known ability', () => {
    const reading = predictor.read(trained.features[0]!);
    const qualities = [0.2, 0.4, 0.6, 0.8, 0.95].map(
      (ability) => predictor.guess(reading, ability).quality,
    );
    expect(qualities).toEqual([...qualities].sort((a, b) => a - b));
  });

  it('expects longer answers for tasks that had longer answers', () => {
    const [code, facts] = [0, 1].map(
      (task) =>
        predictor.expect(predictor.read(trained.features[trained.tasks.indexOf(task)]!), 0)
          .outputTokens,
    );
    expect(code).toBeGreaterThan(2 * facts!);
  });

  it('is unchanged after being written to a file and read again', () => {
    // compared as text: deep equality of a million numbers takes seconds
    const asText = (of: PredictorWeights): string =>
      JSON.stringify(Object.entries(of).sort(), (_, value: unknown) =>
        ArrayBuffer.isView(value)
          ? `${value.constructor.name} ${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}`
          : value,
      );
    const read = decodePredictor(encodePredictor(weights));
    expect(asText(read) === asText(weights)).toBe(true);
  });

  it.each([
    ['is empty', (bytes: Buffer) => bytes.subarray(0, 0), /not a file of \w+ weights/],
    [
      'is something else',
      () => Buffer.from('{"hello": "world, this is JSON"}'),
      /not a file of \w+ weights/,
    ],
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 400), /cut off/],
  ])('is refused if its file %s', (_, damage, message) => {
    expect(() => decodePredictor(damage(encodePredictor(weights)))).toThrow(message);
  });
});
