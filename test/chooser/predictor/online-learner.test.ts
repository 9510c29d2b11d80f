import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeOnline, encodeOnline } from '../../../src/chooser/predictor/online-codec.js';
import { fitBeliefs } from '../../../src/chooser/predictor/fit-beliefs.js';
import { weighed } from '../../../src/chooser/predictor/key-shares.js';
import { largestShares } from '../../../src/chooser/predictor/largest-shares.js';
import type { Beliefs, Move } from '../../../src/chooser/predictor/online-beliefs.js';
import { learnedMoves } from '../../../src/chooser/predictor/learned-moves.js';
import {
  maxMove,
  type NewLesson,
  withLesson,
} from '../../../src/chooser/predictor/online-learner.js';
import {
  causes,
  nothingLearned,
  type OnlineState,
  unknownKey,
} from '../../../src/chooser/predictor/online-state.js';
import { withOutcomes } from '../../../src/chooser/predictor/served.js';
import { createOnlineTuning } from '../../../src/chooser/predictor/online-tuning.js';
import {
  type Expectation,
  QualityPredictor,
} from '../../../src/chooser/predictor/quality-predictor.js';
import type { Adjustment, TunedRequest } from '../../../src/chooser/predictor/tuning.js';
import type { Candidate } from '../../../src/chooser/plan.js';
import { fitPredictor } from '../../lab/fit/fit-predictor.js';
import { smallEvaluations } from '../../helpers/small-evaluations.js';

const dayMs = 86_400_000;
const expected: Expectation = { quality: 0.8, uncertainty: 0.1, outputTokens: 100 };
const candidateOf = (model: string, provider: string | null = 'p'): Candidate => ({
  label: `p/${model}`,
  provider,
  model,
});
const evaluations = smallEvaluations(60);
const [features] = evaluations.features;
const reading = new QualityPredictor(
  fitPredictor(evaluations, Int32Array.from(evaluations.features.keys()), {
    seed: 1,
    name: 'r',
    known: [0.6, 0.6, 0.5],
    epochs: 1,
  }),
).read(features!);
const requestOf = (...shares: number[]): TunedRequest => ({
  reading,
  features: features!,
  kinds: { router: 'r', shares: largestShares(shares.entries()) },
});
const first = requestOf(1, 0);
const rating = (score: number, changes: Partial<NewLesson> = {}): NewLesson => ({
  cause: 'rating',
  key: 'k',
  subject: '',
  weight: 1,
  model: 'a',
  kinds: { router: 'r', shares: [[0, 1]] },
  predicted: 0.8,
  score,
  at: 0,
  ...changes,
});
const rated = (times: number, one: NewLesson, from: OnlineState = nothingLearned): OnlineState =>
  Array.from({ length: times }).reduce<OnlineState>((state) => withLesson(state, one), from);
const adjusted = (
  state: OnlineState,
  model = 'a',
  request = first,
  now = 0,
  router = 'r',
): Adjustment | null =>
  createOnlineTuning(state, router, now)?.adjust(candidateOf(model), request, expected) ?? null;
const beliefsOf = ({ lessons }: OnlineState, now: number): Beliefs =>
  fitBeliefs(weighed(lessons, now).all);
/**
 * What is believed of a model on the first request, whether or not it is certain enough to move the
 * model.
 */
const believedOf = (state: OnlineState, model = 'a'): number =>
  beliefsOf(state, 0).moveOf(model, [[0, 1]]).mean;
const moveOf = (...given: Parameters<typeof adjusted>): number => adjusted(...given)?.odds ?? 0;

describe('what ratings teach', () => {
  it('moves the model that was rated, up or down, and no other', () => {
    expect(moveOf(rated(5, rating(0)))).toBeLessThan(-0.2);
    expect(moveOf(rated(50, rating(1)))).toBeGreaterThan(0.05);
    expect(adjusted(rated(5, rating(0)), 'b')).toBeNull();
    expect(createOnlineTuning(nothingLearned, 'r', 0)).toBeNull();
  });

  it('moves the model more on the rated kind of task', () => {
    const state = rated(10, rating(0));
    expect(moveOf(state, 'a', requestOf(1, 0))).toBeLessThan(moveOf(state, 'a', requestOf(0, 1)));
    expect(moveOf(state, 'a', requestOf(0, 1))).toBeLessThan(0);
  });

  it('moves nothing while the evidence may be chance', () => {
    for (const score of [0, 1])
      expect(Math.abs(moveOf(rated(1, rating(score))))).toBeLessThan(0.05);
    const asPredicted = [1, 0, 1, 1, 1].map((score) => rating(score));
    expect(
      moveOf(
        Array.from({ length: 10 })
          .flatMap(() => asPredicted)
          .reduce(withLesson, nothingLearned),
      ),
    ).toBe(0);
  });

  it('moves only models that differ from the others: if all are rated alike, none moves', () => {
    const models = ['a', 'b', 'c', 'd'];
    const worse = (score: (model: string) => number): OnlineState =>
      models.reduce(
        (state, model) => rated(60, rating(score(model), { model }), state),
        nothingLearned,
      );
    const alike = worse(() => 0.5),
      apart = worse((model) => (model === 'a' ? 0.5 : 0.8));
    for (const model of models) expect(Math.abs(moveOf(alike, model))).toBeLessThan(0.2);
    expect(moveOf(apart)).toBeLessThan(-0.4);
  });

  it('is undone for a model when the others are rated no better', () => {
    const driven = rated(20, rating(0.3));
    const followed = rated(
      60,
      rating(0.3, { model: 'c' }),
      rated(60, rating(0.3, { model: 'b' }), driven),
    );
    expect(moveOf(driven)).toBeLessThan(-0.2);
    expect(moveOf(followed)).toBeGreaterThan(moveOf(driven) + 0.15);
  });

  it('does not count a kind of task that is hard for all models against any of them on another kind', () => {
    const hard = ['a', 'b', 'c'].reduce(
      (state, model) => rated(40, rating(0.2, { model }), state),
      nothingLearned,
    );
    const easy = rated(
      40,
      rating(0.8, { model: 'b', kinds: { router: 'r', shares: [[1, 1]] } }),
      hard,
    );
    for (const request of [first, requestOf(0, 1)])
      expect(Math.abs(moveOf(easy, 'a', request))).toBeLessThan(0.35);
  });

  it('applies to a model on every provider, but not to its fine-tuned versions', () => {
    const state = rated(3, rating(0, { model: 'openai/gpt-4o' }));
    expect(moveOf(state, 'GPT-4o')).toBe(moveOf(state, 'openai/gpt-4o'));
    expect(moveOf(state, 'gpt-4o')).toBeLessThan(0);
    expect(adjusted(state, 'ft:gpt-4o:org::id')).toBeNull();
  });

  it('reports the number of ratings, and is more certain with each', () => {
    expect(adjusted(rated(1, rating(0)))!.reason).toBe('moved by 1 rating');
    expect(adjusted(rated(12, rating(0)))!.reason).toBe('moved by 12 ratings');
    const doubts = [1, 5, 25].map((times) => adjusted(rated(times, rating(0.8)))!.uncertainty!);
    expect(doubts).toEqual([...doubts].sort((a, b) => b - a));
    expect(doubts[0]).toBeLessThan(expected.uncertainty);
  });

  it('fades: after a month it counts like half as many ratings, after a year it moves nothing', () => {
    const beliefs = (state: OnlineState, now: number): Move =>
      beliefsOf(state, now).moveOf('a', [[0, 1]]);
    const [whole, half] = [20, 10].map((times) => rated(times, rating(0.2, { predicted: 0.3 })));
    expect(beliefs(whole!, 30 * dayMs).mean / beliefs(half!, 0).mean).toBeCloseTo(1, 1);
    expect(beliefs(whole!, 30 * dayMs).variance).toBeCloseTo(beliefs(half!, 0).variance, 2);
    const state = rated(20, rating(0));
    expect(moveOf(state, 'a', first, 30 * dayMs)).toBeGreaterThan(moveOf(state));
    expect(moveOf(state, 'a', first, 365 * dayMs)).toBe(0);
  });

  it('follows a model that has become better', () => {
    expect(
      moveOf(
        rated(80, rating(1, { at: 90 * dayMs, predicted: 0.7 }), rated(200, rating(0))),
        'a',
        first,
        90 * dayMs,
      ),
    ).toBeGreaterThan(0);
  });

  it('counts only the last score of a rater who changes it, however often', () => {
    const subject = 's';
    const once = rated(1, rating(0, { subject }));
    expect(rated(50, rating(0, { subject }), once)).toEqual(once);
    const turned = withLesson(once, rating(1, { subject }));
    expect(turned.lessons).toMatchObject([{ score: 1 }]);
    expect(believedOf(turned)).toBeGreaterThan(believedOf(once));
    let state = once;
    for (let times = 0; times < 20; times++)
      for (const score of [1, 0]) state = withLesson(state, rating(score, { subject }));
    expect(state).toEqual(once);
  });

  it('counts what several raters say of the same answer, and what one says of several models', () => {
    const subject = 's';
    const one = withLesson(nothingLearned, rating(0, { subject }));
    const both = withLesson(one, rating(1, { subject, key: 'another' }));
    expect(withLesson(both, rating(0.5, { subject, model: 'b' })).lessons).toHaveLength(3);
  });

  it('does not count strict ratings of all models against one of them', () => {
    const strict = rated(60, rating(0.4, { model: 'b' }));
    expect(Math.abs(believedOf(rated(1, rating(0.4), strict)))).toBeLessThan(
      Math.abs(believedOf(rated(1, rating(0.4)))),
    );
  });

  it('drops kinds of task of another predictor, but keeps what is known of the model as a whole', () => {
    const state = rated(10, rating(0));
    const whole = moveOf(state, 'a', requestOf(0, 1));
    expect(whole).toBeLessThan(0);
    expect(moveOf(state, 'a', first, 0, 'another')).toBeLessThan(0);
    const renumbered = withLesson(state, rating(0.8, { kinds: { router: 'another', shares: [] } }));
    expect(renumbered.lessons.every(({ kinds }) => kinds.length === 0)).toBe(true);
  });
});

describe('what outcomes teach', () => {
  it('lowers a model that failed often, on that provider only, and says so', () => {
    const served = (spoilt: number): OnlineState =>
      withOutcomes(nothingLearned, [
        { name: 'p/a', key: 'k', answers: 40, faults: 2, spoilt, at: 0 },
      ]);
    expect(adjusted(served(3))).toMatchObject({ reason: '5 of 40 answers failed' });
    expect(moveOf(served(20))).toBeLessThan(moveOf(served(3)));
    expect(
      createOnlineTuning(served(20), 'r', 0)!.adjust(candidateOf('a', 'q'), first, expected),
    ).toBeNull();
    const others = [{ name: 'p/a', key: 'l', answers: 40, faults: 2, spoilt: 0, at: 0 }];
    expect(adjusted(withOutcomes(served(20), others))).toMatchObject({
      reason: '24 of 80 answers failed, each key within its bound',
    });
  });
});

describe('a state', { timeout: 60_000 }, () => {
  const anything = fc.oneof(fc.double(), fc.constantFrom(0, 1, NaN, Infinity, -1, 1e308));
  const shares = fc.array(
    fc.tuple(fc.oneof(fc.nat(40), anything), fc.oneof(fc.double({ min: 0, max: 1 }), anything)),
    { maxLength: 8 },
  );
  const ratings = fc.array(
    fc.record<NewLesson>({
      cause: fc.constantFrom(...causes),
      key: fc.option(fc.constantFrom('k', 'l', 'm', unknownKey)),
      subject: fc.constantFrom('', 's', 't'),
      weight: fc.oneof(fc.double({ min: 0, max: 1 }), anything),
      model: fc.oneof(fc.constantFrom('a', 'b', '__proto__', ''), fc.string()),
      kinds: fc.option(fc.record({ router: fc.constantFrom('r', 's'), shares })),
      predicted: fc.oneof(fc.double({ min: 0, max: 1 }), anything),
      score: fc.oneof(fc.double({ min: 0, max: 1 }), anything),
      at: fc.oneof(fc.nat(), anything),
    }),
    { maxLength: 60 },
  );
  const tallies = fc.array(
    fc.record({
      key: fc.constantFrom(null, 'k', 'l', unknownKey),
      answers: anything,
      faults: anything,
      spoilt: anything,
      at: fc.constantFrom(0, 86_400_000, NaN),
    }),
    { maxLength: 20 },
  );

  it('never moves a model further than the limit, and stays finite, for any input', () => {
    fc.assert(
      fc.property(
        ratings,
        tallies,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 40 }),
        (given, counts, parts) => {
          const state = withOutcomes(
            given.reduce(withLesson, nothingLearned),
            counts.map((count) => ({ ...count, name: 'p/a' })),
          );
          for (const model of ['a', 'b', '__proto__']) {
            const adjustment = adjusted(state, model, requestOf(...parts), 5);
            if (!adjustment) continue;
            expect(Math.abs(adjustment.odds)).toBeLessThanOrEqual(maxMove);
            expect(adjustment.uncertainty ?? 0).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });

  it('is bounded under one-sided ratings, and turns back after as many opposite ones', () => {
    const state = rated(5_000, rating(0, { predicted: 0.98 }));
    expect(moveOf(state)).toBeGreaterThanOrEqual(-maxMove);
    expect(moveOf(rated(300, rating(1, { predicted: 0.5 }), state))).toBeGreaterThan(
      moveOf(state) + 0.3,
    );
  });

  it('does not diverge when ratings contradict each other completely, in any order', () => {
    const scores = Array.from({ length: 200 }, (_, at) => at % 2);
    const moved = (order: readonly number[]): number =>
      Math.abs(
        moveOf(
          order.reduce<OnlineState>(
            (state, score) => withLesson(state, rating(score, { predicted: 0.5 })),
            nothingLearned,
          ),
        ),
      );
    expect(moved(scores)).toBeLessThan(0.5);
    for (const order of [[...scores].sort(), [...scores].sort().reverse()])
      expect(moved(order)).toBeLessThanOrEqual(maxMove);
  });

  it('holds a bounded number of models, ratings and kinds', () => {
    const models = Array.from({ length: 300 }, (_, at) =>
      rating(0, { model: `model${at}x`, at, kinds: null }),
    );
    const { lessons } = models.reduce(withLesson, nothingLearned);
    const names = new Set(lessons.map(({ model }) => model));
    expect(names.size).toBe(200);
    expect(['model-99x', 'model-100x', 'model-299x'].map((name) => names.has(name))).toEqual([
      false,
      true,
      true,
    ]);
    expect(rated(600, rating(0)).lessons).toHaveLength(500);
    const kinds = Array.from({ length: 90 }, (_, kind) =>
      rating(0, { kinds: { router: 'r', shares: [[kind, 1]] } }),
    );
    const state = kinds.reduce(withLesson, nothingLearned);
    expect(learnedMoves(state, 'r', 0).places.size).toBe(64);
    expect(moveOf(state, 'a', requestOf(...Array.from({ length: 90 }, () => 0), 1))).toBeLessThan(
      0,
    );
  });

  it('is read as it was written; anything else counts as nothing learned', () => {
    fc.assert(
      fc.property(ratings, (given) => {
        const state = given.reduce(withLesson, nothingLearned);
        const read = decodeOnline(encodeOnline(state));
        expect(decodeOnline(encodeOnline(read))).toEqual(read);
        expect(read.lessons.map(({ model }) => model)).toEqual(
          state.lessons.map(({ model }) => model),
        );
        for (const model of ['a', 'b'])
          expect(moveOf(read, model)).toBeCloseTo(moveOf(state, model), 4);
      }),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.constantFrom(
            null,
            '{"version":2}',
            '{"version":2,"models":[["a",1,-1,1,1]]}',
            '{"version":3,"models":["a"],"keys":[null],"lessons":[[0,0,"",0,1,1,2,0,[]],[]]}',
          ),
        ),
        (text) => {
          expect(decodeOnline(text).lessons).toEqual([]);
        },
      ),
    );
  });

  it('of the first version keeps its outcomes only, because ratings were stored differently', () => {
    const earlier = {
      version: 1,
      router: 'r',
      ratedAt: 5,
      strictness: [0, 1, 0],
      models: [['a', -1, 0.1, 5, 1, 0, [[0, -1, 0.2]]]],
      served: [['p/a', 40, 20, 0]],
    };
    const state = decodeOnline(JSON.stringify(earlier));
    expect(state.lessons).toEqual([]);
    expect(state.served).toEqual([
      { name: 'p/a', key: unknownKey, answers: 40, faults: 20, spoilt: 0, at: 0 },
    ]);
  });

  it('of the second version keeps its ratings, which move the model on all kinds of task', () => {
    const earlier = {
      version: 2,
      router: 'r',
      ratedAt: 5,
      models: [
        [
          'a',
          25,
          2.5,
          0,
          [
            [3, 2, -8],
            [-1, 1, -4],
          ],
        ],
      ],
      served: [['p/a', 40, 20, 0]],
    };
    const state = decodeOnline(JSON.stringify(earlier));
    expect(state.lessons).toHaveLength(25);
    expect(state.lessons[0]).toMatchObject({ model: 'a', score: 0.1, predicted: 0.58 });
    expect(moveOf({ ...state, served: [] })).toBeLessThan(-0.1);
    expect(state.served).toHaveLength(1);
    // a first rating by a key of today does not count as much as all of them
    const more = withLesson({ ...state, served: [] }, rating(1, { model: 'b' }));
    expect(moveOf(more)).toBeLessThan(-0.1);
  });

  it('uses only the largest kinds of a request, as parts of a whole', () => {
    const shares = largestShares([0.05, 0.3, 0.1, 0.15, 0.2, 0.2].entries());
    expect(shares.map(([kind]) => kind)).toEqual([1, 4, 5, 3]);
    expect(shares.map(([, share]) => Math.round(share * 85))).toEqual([30, 20, 20, 15]);
    expect(largestShares([0.05, 0.01].entries())).toEqual([]);
  });
});
