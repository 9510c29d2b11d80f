import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeOnline, encodeOnline, fateOf } from '../../../src/chooser/predictor/online-codec.js';
import {
  nothingLearned,
  type OnlineState,
  type Served,
} from '../../../src/chooser/predictor/online-state.js';
import {
  faultsOf,
  hasFaults,
  sumOfServed,
  withOutcomes,
} from '../../../src/chooser/predictor/served.js';
import { withoutLessons } from '../../../src/chooser/predictor/take-back.js';

const dayMs = 86_400_000;
const row = (changes: Partial<Served>): Served => ({
  name: 'p/a',
  key: 'k',
  answers: 40,
  faults: 0,
  spoilt: 0,
  at: 0,
  ...changes,
});
const stateOf = (...rows: Partial<Served>[]): OnlineState =>
  withOutcomes(nothingLearned, rows.map(row));
const lossOf = ({ served }: OnlineState, now = 0): number =>
  faultsOf(
    served.filter(({ name }) => name === 'p/a'),
    now,
  )?.loss ?? 0;
const nothingMeant = { from: null, keys: null, model: null };

describe('what outcomes teach', () => {
  it('lowers a model in proportion to its failures', () => {
    expect(lossOf(stateOf({ faults: 5 }))).toBeCloseTo(5 / 90);
    expect(lossOf(stateOf({ faults: 20 }))).toBeCloseTo(20 / 90);
    expect(lossOf(stateOf({ spoilt: 20 }))).toBeCloseTo(20 / 90);
    expect(hasFaults(stateOf({ spoilt: 1 }), 0)).toBe(true);
  });

  it('is nothing while nothing fails', () => {
    expect(faultsOf(stateOf({ answers: 1_000 }).served, 0)).toBeNull();
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

  it('is little where one key alone has its answers refused or cut off, and others do not', () => {
    const alone = stateOf({ key: 'attacker', answers: 30, spoilt: 30 });
    expect(lossOf(alone)).toBeCloseTo(30 / 80);
    expect(lossOf(withOutcomes(alone, [row({})]))).toBe(0);
    expect(
      lossOf(withOutcomes(alone, [row({ answers: 10 }), row({ key: 'l', answers: 10 })])),
    ).toBe(0);
    // others that have hardly used the model are no second opinion
    expect(lossOf(withOutcomes(alone, [row({ answers: 3 })]))).toBeCloseTo(30 / 83);
  });

  it('is what several keys have met alike', () => {
    const [one, other] = [row({ key: 'k', spoilt: 20 }), row({ key: 'l', spoilt: 10 })];
    expect(lossOf(stateOf(one, other))).toBeCloseTo(10 / 90);
    expect(lossOf(stateOf(one, other, row({ key: 'm', spoilt: 10 })))).toBeCloseTo(20 / 130);
  });

  it("counts a provider's failures of one key for its share: a half beside one other, a third beside more", () => {
    const attacker = row({ key: 'attacker', answers: 200, faults: 200 });
    expect(lossOf(stateOf(attacker, row({})))).toBeCloseTo(40 / 130);
    expect(lossOf(stateOf(attacker, row({}), row({ key: 'l' })))).toBeCloseTo(40 / 170);
    const known = faultsOf(stateOf(attacker, row({})).served, 0);
    expect(known).toMatchObject({ isBounded: true, faults: 200 });
    expect(
      faultsOf(stateOf(row({ faults: 4 }), row({ key: 'l', faults: 4 })).served, 0),
    ).toMatchObject({
      isBounded: false,
    });
  });
});

describe('counted answers', () => {
  it('are added up by key and day, at most 200 for each key', () => {
    const state = stateOf({}, { at: 5 }, { at: dayMs, answers: 10 }, { key: null, at: dayMs });
    expect(state.served.map(({ key, at }) => [key, at])).toEqual([
      ['k', 5],
      ['k', dayMs],
      [null, dayMs],
    ]);
    expect(sumOfServed(stateOf(...Array.from({ length: 9 }, () => ({}))).served, 0).answers).toBe(
      200,
    );
  });

  it('are taken back by key, by model, and from a day on', () => {
    const state = stateOf(
      { faults: 5 },
      { key: 'l', faults: 5 },
      { name: 'p/b', faults: 5 },
      { faults: 5, at: 3 * dayMs },
    );
    const left = (part: object): string[] =>
      withoutLessons(state, { ...nothingMeant, ...part }, 4 * dayMs).served.map(
        ({ name, key, at }) => `${name} ${key} ${at / dayMs}`,
      );
    expect(left({ keys: ['k'] })).toEqual(['p/a l 0']);
    expect(left({ model: 'b' })).toHaveLength(3);
    expect(left({ from: 2 * dayMs }).sort()).toEqual(['p/a k 0', 'p/a l 0', 'p/b k 0']);
    expect(left({ from: 2 * dayMs, keys: ['l'] })).toHaveLength(4);
  });

  it('that were taken back before they arrive are not counted', () => {
    const state = withoutLessons(nothingLearned, { ...nothingMeant, keys: ['k'], model: 'a' }, 10);
    const later = withOutcomes(decodeOnline(encodeOnline(state)), [
      row({ at: 9 }),
      row({ at: 9, name: 'p/b' }),
      row({ at: 9, key: 'l' }),
      row({ at: 11, answers: 1 }),
    ]);
    expect(later.served.map(({ name, key, answers }) => `${name} ${key} ${answers}`)).toEqual([
      'p/b k 40',
      'p/a l 40',
      'p/a k 1',
    ]);
  });

  it('are bounded, and no key crowds out what another has met', () => {
    const many = Array.from({ length: 600 }, (_, at) => ({ name: `p/${at}`, at }));
    const { served } = stateOf({ key: 'l', faults: 5 }, ...many);
    expect(served).toHaveLength(400);
    expect(served.some(({ key }) => key === 'l')).toBe(true);
  });

  it('are read as they were written', () => {
    const rows = fc.array(
      fc.record<Served>({
        name: fc.constantFrom('p/a', 'p/b', '/c'),
        key: fc.constantFrom(null, 'k', 'l'),
        answers: fc.integer({ min: 2, max: 300 }),
        faults: fc.nat(1),
        spoilt: fc.nat(1),
        at: fc.nat(5 * dayMs),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(rows, (given) => {
        const state = withOutcomes(nothingLearned, given);
        const read = decodeOnline(encodeOnline(state));
        expect(read.served).toHaveLength(state.served.length);
        for (const [at, one] of state.served.entries()) {
          const { answers, ...rest } = read.served[at]!;
          expect(answers).toBeCloseTo(one.answers, 3);
          expect(rest).toMatchObject({ name: one.name, key: one.key, at: one.at });
        }
      }),
    );
  });

  it('of an earlier version count without their keys, and the log says so once', () => {
    const earlier = JSON.stringify({
      version: 3,
      router: 'r',
      models: [],
      keys: [],
      lessons: [],
      served: [['p/a', 40, 20, 0]],
      takenBack: [5, 9],
    });
    const state = decodeOnline(earlier);
    expect(lossOf(state)).toBeCloseTo(20 / 90);
    expect(state.takenBack).toEqual([{ ...nothingMeant, from: 5, until: 9 }]);
    expect(fateOf(earlier)).toMatch('outcomes');
    expect(fateOf(encodeOnline(state))).toBeNull();
  });
});
