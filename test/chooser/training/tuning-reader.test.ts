import { beforeEach, describe, expect, it } from 'vitest';
import { type CustomWeights, encodeCustom } from '../../../src/chooser/predictor/custom-weights.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { tuningsOf, whyPassedOver } from '../../../src/chooser/training/preference-cache.js';

const wide = shippedPredictor().weights.rank + shippedPredictor().weights.denseNames.length;
const numbers = {
  mean: new Float32Array(wide),
  scale: new Float32Array(wide),
  centres: new Float32Array(1),
  offsets: new Float32Array(1),
  known: new Float32Array(1),
  spreads: new Float32Array(1),
  slopes: new Float32Array(wide),
};
const weights: CustomWeights = {
  router: shippedPredictor().weights.name,
  models: ['a'],
  trust: 1,
  ...numbers,
};

describe('stored weights of a preference', () => {
  let warnings: string[] = [];
  beforeEach(() => (warnings = []));
  const read = (text: string) =>
    tuningsOf({ id: 'p-1', router: { weights: text, gain: 0, trainedAt: 0 } }, (warning) =>
      warnings.push(warning),
    );

  it('are used if they were fitted on the shipped predictor', () => {
    expect(read(encodeCustom(weights))).toHaveLength(1);
    expect(whyPassedOver(encodeCustom(weights))).toBeNull();
    expect(warnings).toEqual([]);
  });

  it.each([
    [
      'on another router',
      encodeCustom({ ...weights, router: 'router 000000000000' }),
      /p-1 is ignored: it was fitted on another router: train it again$/,
    ],
    [
      'for other features',
      encodeCustom({
        ...weights,
        mean: new Float32Array(3),
        scale: new Float32Array(3),
        slopes: new Float32Array(3),
      }),
      /p-1 is ignored: it was fitted on another router/,
    ],
    [
      'and damaged',
      encodeCustom({ ...weights, offsets: Float32Array.of(NaN) }),
      /p-1 is ignored: it cannot be used: .* damaged$/,
    ],
    ['and are no JSON', 'nonsense', /p-1 is ignored: it cannot be used/],
    [
      'and lack their numbers',
      '{"router":"x","models":["a"],"trust":1}',
      /p-1 is ignored: it cannot be used/,
    ],
  ])('are ignored if they were fitted %s, and the log names the preference', (_, text, warning) => {
    expect(read(text)).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(warnings[0]).toContain(`ignored: ${whyPassedOver(text)}`);
  });
});
