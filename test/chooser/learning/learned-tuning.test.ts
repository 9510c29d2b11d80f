import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeEvidence,
  encodeEvidence,
  fateOf,
} from '../../../src/chooser/learning/evidence-codec.js';
import { fitBeliefs } from '../../../src/chooser/learning/fit-beliefs.js';
import type { Beliefs, Move } from '../../../src/chooser/learning/beliefs.js';
import { learnedMoves } from '../../../src/chooser/learning/learned-moves.js';
import {
  type NewRating,
  withOutcomes,
  withRating,
} from '../../../src/chooser/learning/add-evidence.js';
import {
  type EvidenceRow,
  type LearnedState,
  nothingLearned,
} from '../../../src/chooser/learning/evidence.js';
import { createLearnedTuning, maxMove } from '../../../src/chooser/learning/learned-tuning.js';
import {
  type Expectation,
  QualityPredictor,
} from '../../../src/chooser/predictor/quality-predictor.js';
import type { Adjustment, TunedRequest } from '../../../src/chooser/predictor/tuning.js';
import type { Candidate } from '../../../src/chooser/plan.js';
import { fitPredictor } from '../../lab/fit/fit-predictor.js';
import { smallEvaluations } from '../../helpers/small-evaluations.js';
import { largestShares } from '../../../src/chooser/figures.js';

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
const rating = (score: number, changes: Partial<NewRating> = {}): NewRating => ({
  key: 'k',
  subject: '',
  model: 'a',
  kinds: { router: 'r', shares: [[0, 1]] },
  predicted: 0.8,
  score,
  at: 0,
  ...changes,
});
const outcome = (changes: Partial<EvidenceRow>): EvidenceRow => ({
  source: 'outcome',
  model: 'p/a',
  kinds: [],
  score: 1,
  weight: 40,
  key: 'k',
  at: 0,
  predicted: 1,
  subject: '',
  ...changes,
});
const rated = (times: number, one: NewRating, from: LearnedState = nothingLearned): LearnedState =>
  Array.from({ length: times }).reduce<LearnedState>((state) => withRating(state, one), from);
const adjusted = (
  state: LearnedState,
  model = 'a',
  request = first,
  now = 0,
  router = 'r',
): Adjustment | null =>
  createLearnedTuning(state, router, now)?.adjust(candidateOf(model), request, expected) ?? null;
const beliefsOf = ({ rows }: LearnedState, now: number): Beliefs => fitBeliefs(rows, now);
/**
 * What is believed of a model on the first request, whether or not it is certain enough to move the
 * model.
 */
const believedOf = (state: LearnedState, model = 'a'): number =>
  beliefsOf(state, 0).moveOf(model, [[0, 1]]).mean;
const moveOf = (...given: Parameters<typeof adjusted>): number => adjusted(...given)?.odds ?? 0;

describe('what ratings teach', () => {
  it('moves the model that was rated, up or down, and no other', () => {
    expect(moveOf(rated(5, rating(0)))).toBeLessThan(-0.2);
    expect(moveOf(rated(50, rating(1)))).toBeGreaterThan(0.05);
    expect(adjusted(rated(5, rating(0)), 'b')).toBeNull();
    expect(createLearnedTuning(nothingLearned, 'r', 0)).toBeNull();
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
          .reduce(withRating, nothingLearned),
      ),
    ).toBe(0);
  });

  it('moves only models that differ from the others: if all are rated alike, none moves', () => {
    const models = ['a', 'b', 'c', 'd'];
    const worse = (score: (model: string) => number): LearnedState =>
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
    const beliefs = (state: LearnedState, now: number): Move =>
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
    const turned = withRating(once, rating(1, { subject }));
    expect(turned.rows).toMatchObject([{ score: 1 }]);
    expect(believedOf(turned)).toBeGreaterThan(believedOf(once));
    let state = once;
    for (let times = 0; times < 20; times++)
      for (const score of [1, 0]) state = withRating(state, rating(score, { subject }));
    expect(state).toEqual(once);
  });

  it('counts what several raters say of the same answer, and what one says of several models', () => {
    const subject = 's';
    const one = withRating(nothingLearned, rating(0, { subject }));
    const both = withRating(one, rating(1, { subject, key: 'another' }));
    expect(withRating(both, rating(0.5, { subject, model: 'b' })).rows).toHaveLength(3);
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
    const renumbered = withRating(state, rating(0.8, { kinds: { router: 'another', shares: [] } }));
    expect(renumbered.rows.every(({ kinds }) => kinds.length === 0)).toBe(true);
  });
});

describe('what outcomes teach', () => {
  it('lowers a model that failed often, on that provider only, and says so', () => {
    const served = (failed: number): LearnedState =>
      withOutcomes(nothingLearned, [outcome({ score: 1 - failed / 40 })]);
    expect(adjusted(served(5))).toMatchObject({ reason: '5 of 40 answers failed' });
    expect(moveOf(served(22))).toBeLessThan(moveOf(served(5)));
    expect(
      createLearnedTuning(served(22), 'r', 0)!.adjust(candidateOf('a', 'q'), first, expected),
    ).toBeNull();
    const others = [outcome({ key: 'l', score: 38 / 40 })];
    expect(adjusted(withOutcomes(served(22), others))).toMatchObject({
      reason: '24 of 80 answers failed, fewer where the keys agree',
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
    fc.record<NewRating>({
      key: fc.option(fc.constantFrom('k', 'l', 'm')),
      subject: fc.constantFrom('', 's', 't'),
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
      key: fc.constantFrom(null, 'k', 'l'),
      weight: anything,
      score: anything,
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
          const state = withOutcomes(given.reduce(withRating, nothingLearned), counts.map(outcome));
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
          order.reduce<LearnedState>(
            (state, score) => withRating(state, rating(score, { predicted: 0.5 })),
            nothingLearned,
          ),
        ),
      );
    expect(moved(scores)).toBeLessThan(0.5);
    for (const order of [[...scores].sort(), [...scores].sort().reverse()])
      expect(moved(order)).toBeLessThanOrEqual(maxMove);
  });

  it('holds a bounded number of ratings and kinds', () => {
    const crowd = Array.from({ length: 1_100 }, (_, at) => rating(0, { model: `model${at}x`, at }));
    const { rows } = [rating(1, { key: 'another' }), ...crowd].reduce(withRating, nothingLearned);
    expect(rows).toHaveLength(1_000);
    expect(rows.some(({ key }) => key === 'another')).toBe(true);
    expect(rows.some(({ at }) => at === 50)).toBe(false);
    const kinds = Array.from({ length: 90 }, (_, kind) =>
      rating(0, { kinds: { router: 'r', shares: [[kind, 1]] } }),
    );
    const state = kinds.reduce(withRating, nothingLearned);
    expect(learnedMoves(state, 'r', 0).places.size).toBe(64);
    expect(moveOf(state, 'a', requestOf(...Array.from({ length: 90 }, () => 0), 1))).toBeLessThan(
      0,
    );
  });

  it('is read as it was written; anything else counts as nothing learned', () => {
    fc.assert(
      fc.property(ratings, (given) => {
        const state = given.reduce(withRating, nothingLearned);
        const read = decodeEvidence(encodeEvidence(state));
        expect(decodeEvidence(encodeEvidence(read))).toEqual(read);
        expect(read.rows.map(({ model }) => model)).toEqual(state.rows.map(({ model }) => model));
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
          expect(decodeEvidence(text).rows).toEqual([]);
        },
      ),
    );
  });

  it('of the version before keeps its ratings and outcomes; the log says what is dropped', () => {
    const earlier = JSON.stringify({
      version: 3,
      router: 'r',
      models: ['a'],
      keys: ['k'],
      lessons: [
        [0, 0, 's', 0, 0.8, 0.2, 1, 5, [0, 1]],
        [2, 0, '', 0, 0.8, 0, 0.1, 6, [0, 1]],
      ],
      outcomes: [['p/a', 0, 40, 10, 10, 7]],
      retractions: [[null, ['l'], null, 9]],
    });
    expect(decodeEvidence(earlier)).toEqual({
      router: 'r',
      rows: [
        { ...rating(0.2, { subject: 's', at: 5 }), source: 'rating', weight: 1, kinds: [[0, 1]] },
        outcome({ score: 0.5, at: 7 }),
      ],
      takenBack: [{ from: null, keys: ['l'], model: null, until: 9 }],
    });
    expect(fateOf(earlier)).toBe('what came of signals without a rating is dropped');
    expect(fateOf(encodeEvidence(decodeEvidence(earlier)))).toBeNull();
    expect(fateOf('{"version":2,"models":[]}')).toBe('it cannot be read and is dropped');
    expect(fateOf(null)).toBeNull();
  });

  it('uses only the largest kinds of a request, as parts of a whole', () => {
    const shares = largestShares([0.05, 0.3, 0.1, 0.15, 0.2, 0.2].entries());
    expect(shares.map(([kind]) => kind)).toEqual([1, 4, 5, 3]);
    expect(shares.map(([, share]) => Math.round(share * 85))).toEqual([30, 20, 20, 15]);
    expect(largestShares([0.05, 0.01].entries())).toEqual([]);
  });
});
