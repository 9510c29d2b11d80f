import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { createCatalog } from '../../src/models/catalog.js';
import { createLatencyWindow } from '../../src/models/latency-window.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import { makePlan } from '../../src/chooser/make-plan.js';
import type { Candidate } from '../../src/chooser/plan.js';
import { createLearnedRanker } from '../../src/chooser/rankers/learned-ranker.js';
import { createPriorRanker } from '../../src/chooser/rankers/prior-ranker.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at } from '../helpers/json.js';
import { post } from '../helpers/sse.js';
import { runs } from '../helpers/runs.js';

const absurd = [
  NaN,
  Infinity,
  -Infinity,
  -1,
  1e13,
  1e308,
  Number.MAX_VALUE,
  -0,
  0,
  5e-324,
  1e12,
  1,
];
const figures = fc.oneof(fc.constantFrom(...absurd), fc.double());
const wild = fc.oneof(figures, fc.constantFrom('1', null, true, [], {}));

const candidates = fc
  .array(
    fc.record({
      model: fc.constantFrom('gpt-4o', 'gpt-4o-mini', 'claude-opus-4-8', 'mine', 'other'),
      provider: fc.constantFrom('openai', 'p', null),
      price: fc.option(
        fc.record({
          input: fc.option(figures, { nil: null }),
          output: fc.option(figures, { nil: null }),
        }),
        { nil: undefined },
      ),
      latency: fc.option(figures, { nil: undefined }),
      attributes: fc.option(
        fc.record({
          quality: wild,
          context_length: fc.constantFrom(NaN, Infinity, -1, '1', null),
          max_output: wild,
          tools: wild,
          images: wild,
        }),
        { nil: undefined },
      ),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((all) =>
    all.map(({ price, latency, attributes, ...rest }, index): Candidate => ({
      label: `c${index}`,
      ...rest,
      ...(price ? { price } : {}),
      ...(latency === undefined ? {} : { latency }),
      ...(attributes ? { attributes } : {}),
    })),
  );
const wishes = fc.record({
  tradeoff: fc.constantFrom('cost' as const, 'latency' as const, null),
  cachedTokens: fc.nat(100_000),
  preference: fc.option(
    fc.record({
      weights: fc.record({
        quality: fc.nat(9),
        cost: fc.integer({ min: 1, max: 9 }),
        latency: fc.nat(9),
      }),
    }),
    { nil: null },
  ),
});

describe.each([
  ['learned', createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing })],
  ['prior', createPriorRanker(defaults.routing)],
])('absurd figures and the %s ranker', (_name, ranker) => {
  const catalog = createCatalog({});
  it('give scores, qualities and costs that are numbers, and drop no candidate', () => {
    fc.assert(
      fc.property(candidates, wishes, fc.string(), (given, { cachedTokens, ...wish }, content) => {
        const request = {
          messages: [{ role: 'user', content }],
          ...wish,
          continued: { provider: 'p', model: 'mine', cachedTokens },
        };
        const plan = makePlan({
          request,
          candidates: given,
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
        expect(plan.candidates.length + plan.excluded.length).toBe(given.length);
        for (const [index, { score, why }] of plan.candidates.entries()) {
          for (const figure of [
            score,
            why.quality,
            why.price ?? 0,
            why.cost ?? 0,
            why.latency ?? 0,
            why.outputTokens ?? 0,
            why.uncertainty ?? 0,
          ])
            expect(Number.isFinite(figure) && figure >= 0).toBe(true);
          expect(index === 0 || score <= plan.candidates[index - 1]!.score).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('absurd figures over HTTP', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway({});
  });
  afterAll(() => gateway.close());

  const fields = ['price', 'input_price', 'output_price', 'latency', 'context_length'] as const;
  it.each(
    fields.flatMap((field) =>
      [1e308, 1e13, -1, -1e-9, '1', 'NaN', true, {}, []].map((value) => [field, value] as const),
    ),
  )('%s %j is refused', async (field, value) => {
    const { status, json } = await post(
      `${gateway.url}/api/v1/model-select`,
      {
        messages: [{ role: 'user', content: 'Hi' }],
        llm_providers: [{ name: 'a' }, { name: 'b', [field]: value }],
      },
      gateway.auth,
    );
    expect(status).toBe(400);
    expect(String(at(json, 'message'))).toMatch(
      new RegExp(`^llm_providers\\[1\\]\\[${field}\\]: must be`),
    );
  });

  it.each(fields)(
    "%s written as a number too large for JSON's readers is refused",
    async (field) => {
      const body = `{"messages":[{"role":"user","content":"Hi"}],"llm_providers":[{"name":"b","${field}":1e999}]}`;
      const reply = await fetch(`${gateway.url}/api/v1/model-select`, {
        method: 'POST',
        headers: { ...gateway.auth, 'content-type': 'application/json' },
        body,
      });
      expect(reply.status).toBe(400);
    },
  );

  it.each([0, 1e-300, 1e12])('a price of %d is accepted', async (price) => {
    const { status, json } = await post(
      `${gateway.url}/api/v1/model-select?explain=true`,
      {
        messages: [{ role: 'user', content: 'Hi' }],
        tradeoff: 'cost',
        llm_providers: [
          { name: 'a', price },
          {
            name: 'b',
            price: 1,
            latency: 1e12,
            attributes: { quality: 7, context_length: -1, max_output: 'x' },
          },
        ],
      },
      gateway.auth,
    );
    expect(status).toBe(200);
    expect(JSON.stringify(json)).not.toMatch(/"(?:score|quality|cost)":null/);
  });
});
