import { describe, expect, it } from 'vitest';
import { JointBelief } from '../../../src/chooser/savings/joint-belief.js';
import { normal, seeded } from '../../../src/chooser/training/custom/seeded.js';

const random = seeded(7);
const draw = (): number => normal(random);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;
const variance = (values: readonly number[]): number =>
  mean(values.map((one) => one ** 2)) - mean(values) ** 2;
const samplesOf = (belief: JointBelief): Float64Array[] =>
  Array.from({ length: 20_000 }, () => belief.sample(draw));

describe('what is believed of several quantities together', () => {
  it('is independent before anything is observed', () => {
    const belief = new JointBelief([
      { mean: 1, spread: 2 },
      { mean: -1, spread: 1 },
    ]);
    const samples = samplesOf(belief);
    expect([...belief.sample(() => 0)]).toEqual([1, -1]);
    expect(variance(samples.map(([one]) => one!))).toBeCloseTo(4, 0);
    expect(variance(samples.map(([one, other]) => one! - other!))).toBeCloseTo(5, 0);
  });

  it('knows a difference that was observed, and little more of each quantity', () => {
    const belief = new JointBelief([
      { mean: 0, spread: 1 },
      { mean: 0, spread: 1 },
      { mean: 0, spread: 1 },
    ]);
    const terms = [
      [0, 1],
      [1, -1],
    ] as const;
    belief.observe(terms, 1, 0.02);
    // 2 / (2 + 0.02) of what was seen
    const [one, other, third] = belief.sample(() => 0);
    expect(one! - other!).toBeCloseTo(2 / 2.02, 9);
    expect(third).toBe(0);
    const samples = samplesOf(belief);
    expect(variance(samples.map(([a, b]) => a! - b!))).toBeCloseTo((2 * 0.02) / 2.02, 2);
    expect(variance(samples.map(([a]) => a!))).toBeCloseTo(1 - 1 / 2.02, 1);
  });

  it('is the same in whichever order observations come', () => {
    const seen = [
      [
        [
          [0, 1],
          [1, -1],
        ],
        0.5,
        0.1,
      ],
      [
        [
          [1, 2],
          [2, -1],
        ],
        -0.3,
        0.2,
      ],
      [[[2, 1]], 0.4, 0.05],
    ] as const;
    const after = (order: readonly number[]): number[] => {
      const belief = new JointBelief([0.1, 0, -0.2].map((prior) => ({ mean: prior, spread: 0.7 })));
      for (const place of order) {
        const [terms, value, known] = seen[place]!;
        belief.observe(terms, value, known);
      }
      return [...belief.sample(() => 0)];
    };
    const expected = after([0, 1, 2]);
    after([2, 0, 1]).forEach((value, place) => expect(value).toBeCloseTo(expected[place]!, 9));
  });

  it('ignores what joins more quantities than can be related in a moment', () => {
    const belief = new JointBelief(Array.from({ length: 300 }, () => ({ mean: 0, spread: 1 })));
    for (let place = 1; place < 300; place++)
      belief.observe(
        [
          [place, 1],
          [0, -1],
        ],
        1,
        0.1,
      );
    const drawn = belief.sample(() => 0);
    expect(drawn[1]).toBeGreaterThan(0);
    expect(drawn[299]).toBe(0);
    expect([...belief.sample(draw)].every(Number.isFinite)).toBe(true);
  });
});
