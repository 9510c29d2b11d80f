import { describe, expect, it } from 'vitest';
import { JointBelief } from '../../../src/chooser/savings/joint-belief.js';

const varianceOf = (belief: JointBelief, ...weights: number[]): number =>
  belief.varianceOf(Float64Array.from(weights));

describe('what is believed of several quantities together', () => {
  it('is independent before anything is observed', () => {
    const belief = new JointBelief([
      { mean: 1, spread: 2 },
      { mean: -1, spread: 1 },
    ]);
    expect([belief.meanOf(0), belief.meanOf(1)]).toEqual([1, -1]);
    expect(varianceOf(belief, 1, 0)).toBeCloseTo(4, 9);
    expect(varianceOf(belief, 1, -1)).toBeCloseTo(5, 9);
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
    expect(belief.meanOf(0) - belief.meanOf(1)).toBeCloseTo(2 / 2.02, 9);
    expect(belief.meanOf(2)).toBe(0);
    expect(varianceOf(belief, 1, -1, 0)).toBeCloseTo((2 * 0.02) / 2.02, 9);
    expect(varianceOf(belief, 1, 0, 0)).toBeCloseTo(1 - 1 / 2.02, 9);
    expect(varianceOf(belief, 0, 0, 2)).toBeCloseTo(4, 9);
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
      return [0, 1, 2].flatMap((place) => [
        belief.meanOf(place),
        varianceOf(belief, ...[0, 1, 2].map((other) => Number(other === place))),
      ]);
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
    expect(belief.meanOf(1)).toBeGreaterThan(0);
    expect(belief.meanOf(299)).toBe(0);
    expect(varianceOf(belief, ...new Array<number>(300).fill(1))).toBeGreaterThan(0);
  });
});
