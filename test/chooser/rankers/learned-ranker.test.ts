import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { defaults } from '../../../src/config/fill.js';
import { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import type {
  Appraisal,
  RankedCandidate,
  Ranker,
  RoutingRequest,
} from '../../../src/chooser/plan.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';
import { fitPredictor } from '../../lab/fit/fit-predictor.js';
import { appraisalOf } from '../../helpers/appraisals.js';
import { smallEvaluations } from '../../helpers/small-evaluations.js';

const evaluations = smallEvaluations(600);
const code =
  'Write a Python function that can sort a list of lamp objects:\ndef sort_lamp(items):\n    return [x for x in items if x > 12]';
const facts =
  'Who first described the bridge near the river, and in which year of the century was it?';
const pool = [
  appraisalOf('coder-70b', { price: 3 }),
  appraisalOf('scholar-70b', { price: 3 }),
  appraisalOf('cheap-8b', { price: 0.2 }),
];

describe('the learned ranker', () => {
  let ranker: Ranker;
  beforeAll(() => {
    const weights = fitPredictor(
      evaluations,
      Int32Array.from(evaluations.features, (_, row) => row),
      { seed: 1, name: 'small', known: [0.6, 0.6, 0.5] },
    );
    ranker = createLearnedRanker({ ...defaults.routing, predictor: new QualityPredictor(weights) });
  });
  const rank = (
    content: string,
    candidates: readonly Appraisal[] = pool,
    request: Partial<RoutingRequest> = {},
  ): RankedCandidate[] =>
    ranker.rank(
      { messages: [{ role: 'user', content }], promptTokens: 100, ...request },
      candidates,
    );

  it('puts the model first that did well on this kind of prompt', () => {
    expect(rank(code)[0]!.model).toBe('coder-70b');
    expect(rank(facts)[0]!.model).toBe('scholar-70b');
  });

  it("recognises a model by any provider's name for it", () => {
    expect(
      rank(facts, [appraisalOf('accounts/x/models/coder-70b'), appraisalOf('Scholar-70B')])[0]!
        .model,
    ).toBe('Scholar-70B');
  });

  it('uses a stated quality unchanged', () => {
    const [first] = rank(facts, [
      ...pool,
      appraisalOf('mine', { quality: 0.999, qualityStated: true }),
    ]);
    expect(first).toMatchObject({ model: 'mine', why: { quality: 0.999, uncertainty: 0 } });
  });

  it('predicts the cost from prompt, expected answer and price', () => {
    const [short, long] = [facts, code].map(
      (content) => rank(content).find(({ model }) => model === 'coder-70b')!.why.cost!,
    );
    expect(long).toBeGreaterThan(short! * 1.3);
    expect(
      rank(code, pool, { maxTokens: 1 }).find(({ model }) => model === 'coder-70b')!.why.cost,
    ).toBeCloseTo((101 * 3) / 1e6, 9);
    expect(rank(code, [appraisalOf('unpriced')])[0]!.why.cost).toBeNull();
  });

  it('expects the tokens of the model behind a name of our own', () => {
    const tokensOf = (one: Appraisal): number | undefined => rank(code, [one])[0]!.why.outputTokens;
    const thinker = tokensOf(appraisalOf('gpt-5'));
    expect(tokensOf(appraisalOf('ours', { knownAs: 'gpt-5' }))).toBe(thinker);
    expect(tokensOf(appraisalOf('ours'))).not.toBe(thinker);
  });

  it("adds what the account's own traffic taught, within limits", () => {
    const against = {
      adjust: ({ model }: { model: string }) =>
        model === 'coder-70b' ? { odds: -1e9, reason: 'bad feedback' } : null,
    };
    const ranked = rank(code, pool, {
      tunings: [against, { adjust: () => ({ odds: NaN, reason: 'broken' }) }],
    });
    expect(ranked.at(-1)!.model).toBe('coder-70b');
    expect(ranked.at(-1)!.why.quality).toBeGreaterThan(0);
  });

  const candidates = fc
    .uniqueArray(
      fc.record({
        model: fc.oneof(
          fc.constantFrom('coder-70b', 'scholar-70b', 'cheap-8b', 'gpt-4o', 'claude-opus-4-8'),
          fc.string({ minLength: 1 }),
        ),
        quality: fc.double({ min: 0.05, max: 0.97, noNaN: true }),
        price: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null }),
        latency: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: null }),
      }),
      { minLength: 1, maxLength: 20, selector: ({ model }) => model },
    )
    .map((all) => all.map(({ model, ...known }) => appraisalOf(model, known)));
  const tradeoffs = fc.constantFrom('cost' as const, 'latency' as const, null);

  it('drops no candidate, and has qualities between 0 and 1 and scores that never rise', () => {
    fc.assert(
      fc.property(fc.string(), candidates, tradeoffs, (content, given, tradeoff) => {
        const ranked = rank(content, given, { tradeoff });
        expect(ranked.map(({ model }) => model).sort()).toEqual(
          given.map(({ candidate }) => candidate.model).sort(),
        );
        expect(
          ranked.every(({ why }) => why.quality > 0 && why.quality < 1 && why.uncertainty! >= 0),
        ).toBe(true);
        expect(ranked.every(({ score }, at) => at === 0 || score <= ranked[at - 1]!.score)).toBe(
          true,
        );
      }),
    );
  });

  it('decides the same every time, for any order of the candidates', () => {
    fc.assert(
      fc.property(fc.string(), candidates, tradeoffs, (content, given, tradeoff) => {
        const first = rank(content, given, { tradeoff });
        expect(rank(content, given, { tradeoff })).toEqual(first);
        const turned = rank(content, [...given].reverse(), { tradeoff });
        expect(turned[0]!.score).toBe(first[0]!.score);
      }),
    );
  });

  it('never moves a candidate down because it becomes cheaper', () => {
    fc.assert(
      fc.property(fc.string(), candidates, fc.nat(), (content, given, pick) => {
        const at = pick % given.length;
        const { candidate: chosen, figures } = given[at]!;
        if (figures.price === null) return;
        const place = (all: readonly Appraisal[]): number =>
          rank(content, all, { tradeoff: 'cost' }).findIndex(({ model }) => model === chosen.model);
        const cheaper = appraisalOf(chosen.model, {
          quality: figures.quality,
          latency: figures.latency,
          price: figures.price / 2,
        });
        expect(
          place(given.map((one, index) => (index === at ? cheaper : one))),
        ).toBeLessThanOrEqual(place(given));
      }),
    );
  });
});

describe('what was learned of models of 2024', () => {
  const question =
    'Which of the following is true of a monopolist?\nA. P = MC\nB. P > MR\nC. P < MR\nD. MR = 0\nAnswer:';
  const earlier = ['gpt-4o-2024-05-13', 'claude-3-opus-20240229', 'llama-3-8b-instruct'];
  const newer = ['gpt-5.2', 'claude-haiku-4-5', 'gpt-5-nano', 'gemini-2.5-pro'];

  it.each<[what: string, content: string, models: string[], isRead: boolean]>([
    ['an everyday request', 'Write a toast for my sister.', earlier, false],
    ['candidates most of which are newer', question, [...newer, earlier[0]!], false],
    ['a question of an examination, among such models', question, earlier, true],
  ])('counts only where it helps: %s', (_what, content, models, isRead) => {
    const reading = vi.spyOn(shippedPredictor(), 'read');
    const ranker = createLearnedRanker({ predictor: shippedPredictor, ...defaults.routing });
    ranker.rank(
      { messages: [{ role: 'user', content }], promptTokens: 100 },
      models.map((model) => appraisalOf(model)),
    );
    expect(reading).toHaveBeenCalledTimes(isRead ? 1 : 0);
    reading.mockRestore();
  });
});
