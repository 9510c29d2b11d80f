import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/config/fill.js';
import { createCatalog } from '../../../src/models/catalog.js';
import { createLatencyWindow } from '../../../src/models/latency-window.js';
import { makePlan } from '../../../src/chooser/make-plan.js';
import type { Plan } from '../../../src/chooser/plan.js';
import { logOdds } from '../../../src/models/numbers.js';
import { type NewRating, withRating } from '../../../src/chooser/learning/add-evidence.js';
import { nothingLearned, type LearnedState } from '../../../src/chooser/learning/evidence.js';
import { createLearnedTuning } from '../../../src/chooser/learning/learned-tuning.js';
import { shippedRouter } from '../../../src/chooser/outlook/shipped-outlook.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';

const catalog = createCatalog({ priceIds: { openai: 'openai' } });
const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });
const models = [
  'gpt-5.2',
  'claude-sonnet-4-5',
  'gemini-2.5-flash',
  'gpt-5-nano',
  'llama-3.3-70b',
] as const;
type Model = (typeof models)[number];
const mails = [
  'Write a polite e-mail to my landlord about the broken heating.',
  'Rewrite this email so that it sounds friendlier: Hi Tom, send me the report by Friday.',
  'Draft an email to a customer whose order is late, and apologise.',
  'Please write a follow-up email after a job interview at a bank.',
  'Write an e-mail that invites the team to the summer party.',
];
const programs = [
  'Write a Python function that merges two sorted lists.',
  'Implement an LRU cache in TypeScript with generics and tests.',
  'Write a SQL query that finds the ten customers with the highest revenue.',
];

const planOf = (text: string, state: LearnedState = nothingLearned): Plan => {
  const tuning = createLearnedTuning(state, shippedRouter(), 0);
  return makePlan({
    id: 'fixed',
    request: {
      messages: [{ role: 'user', content: text }],
      ...(tuning ? { onlineLearning: { tuning, exploration: 0 } } : {}),
    },
    candidates: models.map((model) => ({ label: model, provider: null, model })),
    ranker,
    catalog,
    latencies: createLatencyWindow(),
    limits: {
      retriesPerCandidate: 0,
      firstEventTimeoutMs: 1,
      idleTimeoutMs: 1,
      totalTimeoutMs: 1,
    },
    blame: { field: 'models', code: 'bad_request' },
  });
};
/** Who is predicted to answer best: among equals a cheaper one is called. */
const bestOf = (text: string, state?: LearnedState): string =>
  planOf(text, state).candidates.reduce((best, one) =>
    one.why.quality > best.why.quality ? one : best,
  ).model;
/** The mean log odds of the predicted quality. */
const oddsOf = (model: Model, texts: readonly string[], state?: LearnedState): number =>
  texts.reduce((sum, text) => {
    const one = planOf(text, state).candidates.find(({ model: name }) => name === model)!;
    return sum + logOdds(one.why.quality) / texts.length;
  }, 0);
const plans = new Map([...mails, ...programs].map((text) => [text, planOf(text)]));
const ratingOf = (key: string, text: string, model: Model, score: number): NewRating => {
  const plan = plans.get(text) ?? planOf(text);
  const { quality } = plan.candidates.find((one) => one.model === model)!.why;
  return {
    key,
    subject: '',
    model,
    kinds: plan.kinds!,
    predicted: quality,
    score,
    at: 0,
  };
};
/** So many ratings by one key: the texts and the models in turn. */
const ratings = (
  times: number,
  key: string,
  texts: readonly string[],
  scoreOf: (model: Model) => number,
): NewRating[] =>
  Array.from({ length: times }, (_, at) => {
    const model = models[at % models.length]!;
    const text = texts[Math.floor(at / models.length) % texts.length]!;
    return ratingOf(key, text, model, scoreOf(model));
  });
const learned = (...given: readonly NewRating[]): LearnedState =>
  given.reduce(withRating, nothingLearned);
/** Who is predicted to be the best on e-mails, and whom honest keys prefer. */
const [best, preferred] = ['claude-sonnet-4-5', 'gpt-5.2'] as const;
/** What an honest key says of e-mails. */
const honestly = (model: Model): number => (model === best ? 0.2 : model === preferred ? 1 : 0.8);

describe('the ratings of several keys', () => {
  it('are not undone by one or four of another key', () => {
    const before = learned(...ratings(40, 'honest', mails, honestly));
    for (const times of [1, 4])
      for (const score of [0, 0.5, 1]) {
        const after = ratings(times, 'another', mails, () => score).reduce(withRating, before);
        for (const text of mails) expect(bestOf(text, after)).toBe(preferred);
      }
  });

  it('teach each kind of task what the keys that rated it say', () => {
    const other = ratings(40, 'code', programs, honestly);
    const state = learned(...ratings(40, 'mails', mails, honestly), ...other);
    for (const text of mails) expect(bestOf(text, state)).toBe(preferred);
    expect(oddsOf(best, programs, state)).toBeLessThan(oddsOf(best, programs) - 0.05);
  });

  it('are not turned to what a hundred of one key prefer, whoever came first', () => {
    const honest = ratings(40, 'honest', mails, honestly);
    const before = learned(...honest);
    expect(bestOf(mails[0]!)).toBe(best);
    for (const text of mails) expect(bestOf(text, before)).toBe(preferred);
    const order = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.constantFrom(...models), order, (favourite, places) => {
        const attack = ratings(100, 'attacker', mails, (model) => (model === favourite ? 1 : 0));
        const mixed = [...honest, ...attack]
          .map((one) => ({ one, place: places.next().value as number }))
          .sort((a, b) => a.place - b.place)
          .map(({ one }) => one);
        const after = learned(...mixed);
        for (const text of mails)
          expect([bestOf(text), bestOf(text, before)], `${favourite} on ${text}`).toContain(
            bestOf(text, after),
          );
      }),
      { numRuns: 20, seed: 1 },
    );
  }, 120_000);

  it('of three keys are not even weakened much by a fourth that contradicts them', () => {
    const honest = ['a', 'b', 'c'].flatMap((key) => ratings(15, key, mails, honestly));
    const attack = ratings(100, 'attacker', mails, (model) => (model === best ? 1 : 0));
    for (const text of mails) expect(bestOf(text, learned(...honest, ...attack))).toBe(preferred);
  });

  it('move what the keys agree on', () => {
    const one = learned(...ratings(40, 'a', mails, honestly));
    const two = learned(...ratings(20, 'a', mails, honestly), ...ratings(20, 'b', mails, honestly));
    const [moved, agreed] = [one, two].map(
      (state) => oddsOf(best, mails) - oddsOf(best, mails, state),
    );
    expect(agreed).toBeGreaterThan(0.4 * moved!);
  });
});

describe('ratings on one kind of task', () => {
  it('leave the difficulty of a request as uncertain as it was', () => {
    const widthOf = (state?: LearnedState): number => {
      const { why } = planOf(mails[0]!, state).candidates.find(({ model }) => model === best)!;
      return why.interval![1] - why.interval![0];
    };
    const state = learned(...ratings(15, 'a', mails, honestly));
    expect(widthOf(state)).toBeLessThan(1.5 * widthOf());
    expect(widthOf(state)).toBeGreaterThan(0.6 * widthOf());
  });

  it.each([25, 50])('after %i move that kind, and others by a fifth of it at most', (times) => {
    for (const state of [
      learned(...ratings(times, 'a', mails, honestly)),
      learned(
        ...Array.from({ length: times }, (_, at) =>
          ratingOf('a', mails[at % mails.length]!, best, 0),
        ),
      ),
    ]) {
      const lost = (texts: readonly string[]): number =>
        oddsOf(best, texts) - oddsOf(best, texts, state);
      expect(lost(mails)).toBeGreaterThan(0.05);
      for (const text of programs) expect(lost([text])).toBeLessThanOrEqual(lost(mails) / 5);
    }
  });

  it('move all kinds once several agree', () => {
    const texts = [
      ...mails.slice(0, 2),
      'What is the capital of France?',
      'Which gas do plants take in?\nA. Oxygen\nB. Helium\nC. Carbon dioxide',
      'Solve the equation x^2 - 5x + 6 = 0 and prove that your solution is correct.',
      'How many days are there in three years?',
    ];
    const state = learned(...ratings(150, 'a', texts, honestly));
    const narrow = learned(...ratings(150, 'a', mails, honestly));
    const [broad, one] = [state, narrow].map(
      (known) => oddsOf(best, programs) - oddsOf(best, programs, known),
    );
    expect(broad).toBeGreaterThan(0.03);
    expect(broad).toBeGreaterThan(2 * one!);
  });
});
