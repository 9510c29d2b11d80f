import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withOutcomes } from '../../../src/chooser/learning/add-evidence.js';
import {
  agreedOn,
  type EvidenceRow,
  type LearnedState,
  nothingLearned,
  withoutEvidence,
} from '../../../src/chooser/learning/evidence.js';
import { decodeEvidence, encodeEvidence } from '../../../src/chooser/learning/evidence-codec.js';
import { countsOf, faultsOf, hasFaults } from '../../../src/chooser/learning/known-faults.js';

const dayMs = 86_400_000;
interface Outcome {
  readonly model?: string;
  readonly key?: string | null;
  readonly answers?: number;
  readonly faults?: number;
  readonly at?: number;
}
const row = ({ answers = 40, faults = 0, ...rest }: Outcome): EvidenceRow => ({
  source: 'outcome',
  model: 'p/a',
  key: 'k',
  kinds: [],
  weight: answers,
  score: 1 - faults / answers,
  at: 0,
  predicted: 1,
  subject: '',
  ...rest,
});
const stateOf = (...rows: Outcome[]): LearnedState => withOutcomes(nothingLearned, rows.map(row));
const lossOf = ({ rows }: LearnedState, now = 0): number =>
  faultsOf(
    rows.filter(({ model }) => model === 'p/a'),
    now,
  )?.loss ?? 0;
const nothingMeant = { from: null, keys: null, model: null };

describe('what outcomes teach', () => {
  it('lowers a model in proportion to its failures', () => {
    expect(lossOf(stateOf({ faults: 5 }))).toBeCloseTo(5 / 90);
    expect(lossOf(stateOf({ faults: 20 }))).toBeCloseTo(20 / 90);
    expect(hasFaults(stateOf({ faults: 1 }), 0)).toBe(true);
  });

  it('is nothing while nothing fails', () => {
    expect(faultsOf(stateOf({ answers: 1_000 }).rows, 0)).toBeNull();
    expect(hasFaults(stateOf({ answers: 1_000 }), 0)).toBe(false);
  });

  it('fades within days', () => {
    const state = stateOf({ faults: 20 });
    expect(lossOf(state, dayMs)).toBeCloseTo(10 / 70);
    expect(lossOf(state, 10 * dayMs)).toBe(0);
    expect(hasFaults(state, 10 * dayMs)).toBe(false);
  });

  it('recovers within a few hundred answers of a provider that works again', () => {
    const failed = stateOf({ answers: 10_000, faults: 10_000 });
    expect(lossOf(failed)).toBeCloseTo(0.8);
    expect(lossOf(withOutcomes(failed, [row({ answers: 400 })]))).toBeLessThan(0.3);
  });

  it('is nothing where one key alone has failures, and another that has used the model has none', () => {
    const alone = stateOf({ key: 'attacker', answers: 30, faults: 30 });
    expect(lossOf(alone)).toBeCloseTo(30 / 80);
    expect(lossOf(withOutcomes(alone, [row({})]))).toBe(0);
    expect(
      lossOf(withOutcomes(alone, [row({ answers: 10 }), row({ key: 'l', answers: 10 })])),
    ).toBe(0);
    // others that have hardly used the model are no second opinion
    expect(lossOf(withOutcomes(alone, [row({ answers: 3 })]))).toBeCloseTo(30 / 83);
  });

  it('is what the keys agree on: of two the smaller share of failures, of three the median', () => {
    const [one, other] = [{ faults: 20 }, { key: 'l', faults: 10 }];
    const two = stateOf(one, other);
    expect(lossOf(two)).toBeCloseTo((80 / 4 / 130) * 1);
    expect(faultsOf(two.rows, 0)).toMatchObject({ isBounded: true, faults: 30 });
    const third = { key: 'm', faults: 12 };
    expect(lossOf(stateOf(one, other, third))).toBeCloseTo((0.3 * 120) / 170);
    const alike = stateOf({ faults: 4 }, { key: 'l', faults: 4 });
    expect(faultsOf(alike.rows, 0)).toMatchObject({ isBounded: false });
  });
});

describe('what keys agree on', () => {
  it.each([
    [[], 0],
    [[0.4], 0.4],
    [[0.4, 0.2], 0.2],
    [[-0.4, -0.2], -0.2],
    [[-0.4, 0.2], 0],
    [[-2, 0.3, 0.5], 0.3],
    [[-2, 0.3, 0.5, 0.6], 0.3],
    [[-2, -1, 0.5, 0.6], 0],
  ])('of %j is %d', (values, agreed) => {
    expect(agreedOn(values)).toBe(agreed);
  });

  it('never lies beyond what most of them say, and one more key moves it past no other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 3 }),
        (said) => {
          const agreed = agreedOn(said);
          expect(
            said.filter((one) => Math.abs(one) >= Math.abs(agreed)).length * 2,
          ).toBeGreaterThanOrEqual(said.length);
        },
      ),
    );
  });
});

describe('counted answers', () => {
  it('are added up by key and day, at most 200 for each key', () => {
    const state = stateOf({}, { at: 5 }, { at: dayMs, answers: 10 }, { key: null, at: dayMs });
    expect(state.rows.map(({ key, at }) => [key, at])).toEqual([
      ['k', 5],
      ['k', dayMs],
      [null, dayMs],
    ]);
    expect(countsOf(stateOf(...Array.from({ length: 9 }, () => ({}))).rows, 0).answers).toBe(200);
  });

  it('are taken back by key, by model, and from a day on', () => {
    const state = stateOf(
      { faults: 5 },
      { key: 'l', faults: 5 },
      { model: 'p/b', faults: 5 },
      { faults: 5, at: 3 * dayMs },
    );
    const left = (part: object): string[] =>
      withoutEvidence(state, { ...nothingMeant, ...part }, 4 * dayMs).rows.map(
        ({ model, key, at }) => `${model} ${key} ${at / dayMs}`,
      );
    expect(left({ keys: ['k'] })).toEqual(['p/a l 0']);
    expect(left({ model: 'b' })).toHaveLength(3);
    expect(left({ from: 2 * dayMs }).sort()).toEqual(['p/a k 0', 'p/a l 0', 'p/b k 0']);
    expect(left({ from: 2 * dayMs, keys: ['l'] })).toHaveLength(4);
  });

  it('that were taken back before they arrive are not counted', () => {
    const state = withoutEvidence(nothingLearned, { ...nothingMeant, keys: ['k'], model: 'a' }, 10);
    const later = withOutcomes(decodeEvidence(encodeEvidence(state)), [
      row({ at: 9 }),
      row({ at: 9, model: 'p/b' }),
      row({ at: 9, key: 'l' }),
      row({ at: 11, answers: 1 }),
    ]);
    expect(later.rows.map(({ model, key, weight }) => `${model} ${key} ${weight}`)).toEqual([
      'p/b k 40',
      'p/a l 40',
      'p/a k 1',
    ]);
  });

  it('are bounded, and no key crowds out what another has met', () => {
    const many = Array.from({ length: 600 }, (_, at) => ({ model: `p/${at}`, at }));
    const { rows } = stateOf({ key: 'l', faults: 5 }, ...many);
    expect(rows).toHaveLength(400);
    expect(rows.some(({ key }) => key === 'l')).toBe(true);
  });

  it('are read as they were written', () => {
    const rows = fc.array(
      fc.record({
        model: fc.constantFrom('p/a', 'p/b', '/c'),
        key: fc.constantFrom(null, 'k', 'l'),
        answers: fc.integer({ min: 2, max: 300 }),
        faults: fc.nat(2),
        at: fc.nat(5 * dayMs),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(rows, (given) => {
        const state = stateOf(...given);
        const read = decodeEvidence(encodeEvidence(state));
        expect(read.rows).toHaveLength(state.rows.length);
        for (const [at, { weight, score, ...rest }] of state.rows.entries()) {
          const one = read.rows[at]!;
          expect(one).toMatchObject(rest);
          expect(one.weight).toBeCloseTo(weight, 3);
          expect(one.score).toBeCloseTo(score, 3);
        }
      }),
    );
  });
});
