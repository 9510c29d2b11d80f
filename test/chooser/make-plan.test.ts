import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { GatewayError } from '../../src/errors.js';
import { createCatalog } from '../../src/models/catalog.js';
import { createLatencyWindow } from '../../src/models/latency-window.js';
import { explainPlan } from '../../src/chooser/explain-plan.js';
import { makePlan, type PlanInput } from '../../src/chooser/make-plan.js';
import type { Candidate, Plan } from '../../src/chooser/plan.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../src/chooser/rankers/learned-ranker.js';
import { createPriorRanker } from '../../src/chooser/rankers/prior-ranker.js';

const catalog = createCatalog({
  priceIds: { openai: 'openai', anthropic: 'anthropic', local: null },
  overrides: { 'local/small': { contextLength: 100, tools: false } },
});
const limits = {
  retriesPerCandidate: 2,
  firstEventTimeoutMs: 1000,
  idleTimeoutMs: 1000,
  totalTimeoutMs: 5000,
};

function candidate(label: string, more: Partial<Candidate> = {}): Candidate {
  const slash = label.indexOf('/');
  return {
    label,
    provider: slash < 0 ? null : label.slice(0, slash),
    model: label.slice(slash + 1),
    ...more,
  };
}

function plan(candidates: Candidate[], more: Partial<PlanInput> = {}): Plan {
  const latencies = more.latencies ?? createLatencyWindow();
  return makePlan({
    request: { messages: [{ role: 'user', content: 'hello' }] },
    candidates,
    catalog,
    latencies,
    ranker: createPriorRanker(defaults.routing),
    limits,
    blame: { field: 'models', code: 'validation_failed' },
    ...more,
  });
}

function failure(act: () => unknown): GatewayError {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('it did not fail with a GatewayError');
}

const order = (made: Plan) => made.candidates.map(({ label }) => label);

describe('a plan', () => {
  it('orders the candidates, has an id, the limits and a reason', () => {
    const made = plan([candidate('openai/gpt-3.5-turbo'), candidate('anthropic/claude-opus-4-5')]);
    expect(order(made)).toEqual(['anthropic/claude-opus-4-5', 'openai/gpt-3.5-turbo']);
    expect(made.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    expect(made).toMatchObject({ limits, excluded: [], reason: 'best predicted quality, 0.87' });
  });

  it('is plain data', () => {
    const made = plan(
      [
        candidate('openai/gpt-4o', { attributes: { team: 'a' }, latency: 1 }),
        candidate('somebody-new'),
      ],
      { id: 'fixed' },
    );
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
    expect(made.id).toBe('fixed');
    expect(made.candidates.find(({ provider }) => provider === 'openai')).toMatchObject({
      attributes: { team: 'a' },
      latency: 1,
    });
  });

  it("prefers the caller's price to the list's", () => {
    const same = { attributes: { quality: 0.8 } };
    const made = plan(
      [
        candidate('openai/gpt-4o', same),
        candidate('anthropic/claude-opus-4-5', { ...same, price: { input: 0.1, output: 0.1 } }),
      ],
      { request: { messages: [], tradeoff: 'cost' } },
    );
    expect(made.candidates.map(({ why }) => why.price)).toEqual([0.1, 4.375]);
  });

  it('takes the missing half of a price from the list, else one half for both', () => {
    const made = plan([
      candidate('openai/gpt-4o', { price: { input: 1, output: null } }),
      candidate('local/x', { price: { input: null, output: 2 } }),
    ]);
    expect(made.candidates.map(({ why }) => why.price).sort()).toEqual([2, 3.25]);
  });

  it("prefers the caller's latency to what was measured", () => {
    const latencies = createLatencyWindow();
    for (let n = 0; n < 3; n++) latencies.record('openai', 'gpt-4o', 1500);
    const made = plan(
      [candidate('openai/gpt-4o'), candidate('openai/gpt-4o', { label: 'mine', latency: 0.2 })],
      { latencies, request: { messages: [], tradeoff: 'latency' } },
    );
    expect(made.candidates.map(({ label, why }) => [label, why.latency])).toEqual([
      ['mine', 0.2],
      ['openai/gpt-4o', 1.5],
    ]);
  });

  it('ranks an unknown model from its own figures', () => {
    const made = plan([
      candidate('openai/gpt-4o'),
      candidate('my-own', { attributes: { quality: 0.99 } }),
    ]);
    expect(order(made)[0]).toBe('my-own');
  });

  it('gives a bare name its maker as provider if the catalogue knows it, and keeps the label as sent', () => {
    const made = plan([candidate('gpt-4o'), candidate('my-own')], { deny: ['anthropic/*'] });
    expect(made.candidates.map(({ label, provider, model }) => [label, provider, model])).toEqual([
      ['gpt-4o', 'openai', 'gpt-4o'],
      ['my-own', null, 'my-own'],
    ]);
    expect(
      failure(() => plan([candidate('claude-3-haiku')], { deny: ['anthropic/*'] })).message,
    ).toContain('claude-3-haiku: the configuration denies it');
  });

  it('ignores attributes of a wrong type or range', () => {
    const odd = [
      { quality: 'high' },
      { quality: 85 },
      { quality: NaN },
      { quality: -1 },
      { context_length: 'long', tools: 'yes', images: 0 },
    ];
    const plain = plan([candidate('openai/gpt-4o')]).candidates[0].why;
    for (const attributes of odd)
      expect(plan([candidate('openai/gpt-4o', { attributes })]).candidates[0].why).toEqual(plain);
  });

  it('excludes candidates that cannot serve, with the reason', () => {
    const made = plan([candidate('local/small'), candidate('openai/gpt-4o')], {
      request: { messages: [{ role: 'user', content: 'word '.repeat(200) }] },
    });
    expect(order(made)).toEqual(['openai/gpt-4o']);
    expect(made.excluded[0]!.reason).toMatch(
      /^its context length is 100 tokens, but the request needs about \d+$/,
    );
  });

  it("lets an entry's attributes override its known capabilities", () => {
    const request = { messages: [{ role: 'user', content: 'hi' }], tools: [{ name: 'look' }] };
    expect(
      order(plan([candidate('local/small', { attributes: { tools: true } })], { request })),
    ).toEqual(['local/small']);
    expect(
      failure(() =>
        plan([candidate('openai/gpt-4o', { attributes: { tools: false } })], { request }),
      ).status,
    ).toBe(422);
  });

  it('is refused, with the reason for each candidate, when none is left', () => {
    const error = failure(() =>
      plan([candidate('nobody/x'), candidate('local/small'), candidate('openai/gpt-4o')], {
        request: { messages: [], tools: [{ name: 'look' }] },
        deny: ['openai/*'],
        unknownReason: ({ provider }) =>
          provider === 'nobody' ? 'provider "nobody" is not configured' : null,
        blame: { field: 'llm_providers', code: 'bad_request' },
      }),
    );
    expect(error).toMatchObject({ code: 'bad_request', status: 400, field: 'llm_providers' });
    expect(error.message).toBe(
      'llm_providers: no model can serve this request (nobody/x: provider "nobody" is not configured; local/small: it does not call tools, but the request offers 1; openai/gpt-4o: the configuration denies it)',
    );
  });

  it('is refused with at most 500 characters', () => {
    const many = Array.from({ length: 100 }, (_, index) => candidate(`openai/gpt-${index}`));
    expect(failure(() => plan(many, { keyModels: [] })).message).toHaveLength(500);
  });

  it('is refused for an empty list', () =>
    expect(failure(() => plan([])).message).toBe('models: names no model'));

  it('holds every candidate once, ranked or left out, whatever is asked', () => {
    const names = fc.array(
      fc.constantFrom(
        'openai/gpt-4o',
        'openai/o1-mini',
        'anthropic/claude-3-haiku',
        'local/small',
        'local/unknown',
        'bare',
      ),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(
        names,
        fc.boolean(),
        fc.constantFrom('cost' as const, 'latency' as const, null),
        fc.nat(5000),
        (labels, tools, tradeoff, words) => {
          const request = {
            messages: [{ role: 'user', content: 'word '.repeat(words) }],
            tools: tools ? [{ name: 'look' }] : [],
            tradeoff,
          };
          const made = plan([...labels.map((label) => candidate(label)), candidate('bare')], {
            request,
          });
          const all = [...order(made), ...made.excluded.map((each) => each.candidate.label)];
          expect(all.sort()).toEqual([...labels, 'bare'].sort());
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('an excluded candidate', () => {
  const request = {
    messages: [{ role: 'user', content: 'Write a function that sorts a list of numbers.' }],
    tools: [{ name: 'look' }],
  };
  const incapable = { tools: false };

  it("comes with the ranker's prediction, as if it could serve", () => {
    const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });
    const taught = { adjust: () => ({ odds: 1, reason: 'as rated' }) };
    const asked = { ...request, tunings: [taught] };
    const able = plan([candidate('openai/gpt-4o'), candidate('openai/gpt-4o-mini')], {
      ranker,
      request: asked,
    });
    const [left] = plan(
      [candidate('openai/gpt-4o'), candidate('openai/gpt-4o-mini', { attributes: incapable })],
      { ranker, request: asked },
    ).excluded;
    const { reason: _, ...expected } = able.candidates.find(
      ({ model }) => model === 'gpt-4o-mini',
    )!.why;
    expect(left).toMatchObject({
      reason: 'it does not call tools, but the request offers 1',
      figures: expected,
    });
    expect(left!.figures).toMatchObject({
      uncertainty: expect.any(Number),
      cost: expect.any(Number),
      learned: ['as rated'],
    });
  });

  it('costs no second reading of the request', () => {
    const predictor = shippedPredictor();
    let readings = 0;
    const counting = Object.assign(Object.create(predictor) as typeof predictor, {
      read: (...given: Parameters<typeof predictor.read>) => (readings++, predictor.read(...given)),
    });
    const others = Array.from({ length: 20 }, (_, at) =>
      candidate(`openai/gpt-4o-${at}`, { attributes: incapable }),
    );
    expect(
      plan([candidate('openai/gpt-4o'), ...others], {
        ranker: createLearnedRanker({ predictor: counting, ...defaults.routing }),
        request,
      }).excluded,
    ).toHaveLength(20);
    expect(readings).toBe(1);
  });

  it('makes no prediction if one candidate is left and no explanation is asked for', () => {
    const predictor = shippedPredictor();
    const reading = Object.assign(Object.create(predictor) as typeof predictor, {
      read: () => {
        throw new Error('it was read');
      },
    });
    const ranker = createLearnedRanker({ ...defaults.routing, predictor: reading });
    const made = plan([candidate('openai/gpt-4o'), candidate('local/small')], {
      ranker,
      request,
      explain: false,
    });
    expect(made.excluded[0]!.figures).toEqual({
      quality: expect.any(Number),
      price: null,
      latency: null,
    });
    expect(made.reason).toBe('the only model that can serve the request');
  });
});

describe('explaining a plan', () => {
  it("gives each candidate's figures, and why it has its place or cannot serve", () => {
    const explained = explainPlan(
      plan([candidate('gone/x'), candidate('local/small'), candidate('openai/gpt-4o')], {
        request: { messages: [], tools: [{ name: 'look' }] },
        unknownReason: ({ provider }) =>
          provider === 'gone' ? 'provider "gone" is not configured' : null,
      }),
    );
    expect(explained).toEqual([
      {
        label: 'openai/gpt-4o',
        provider: 'openai',
        model: 'gpt-4o',
        quality: 0.62,
        price: 4.375,
        latency: null,
        score: 0.62,
        reason: 'best predicted quality, 0.62',
      },
      {
        label: 'gone/x',
        provider: 'gone',
        model: 'x',
        quality: expect.any(Number),
        price: null,
        latency: null,
        score: null,
        excluded: 'provider "gone" is not configured',
      },
      {
        label: 'local/small',
        provider: 'local',
        model: 'small',
        quality: expect.any(Number),
        price: null,
        latency: null,
        score: null,
        excluded: 'it does not call tools, but the request offers 1',
      },
    ]);
  });
});
