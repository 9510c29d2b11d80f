import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { askedEffort } from '../../src/providers/asked-effort.js';
import { appraise } from '../../src/chooser/appraise.js';
import { createCatalog } from '../../src/models/catalog.js';
import { explainPlan } from '../../src/chooser/explain-plan.js';
import { createLatencyWindow } from '../../src/models/latency-window.js';
import { makePlan } from '../../src/chooser/make-plan.js';
import type { Appraisal, Candidate, Plan, RoutingRequest } from '../../src/chooser/plan.js';
import { givenOrder } from '../../src/chooser/rankers/given-order.js';
import { createPriorRanker } from '../../src/chooser/rankers/prior-ranker.js';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const sources = {
  catalog: createCatalog({ overrides: { 'p/thinker': { reasoningEffort: 'high' } } }),
  latencies: createLatencyWindow(),
};
const candidate = (model: string, more: Partial<Candidate> = {}): Candidate => ({
  label: `p/${model}`,
  provider: 'p',
  model,
  ...more,
});
type Asked = Pick<RoutingRequest, 'reasoningEffort'>;
const appraised = (one: Candidate, asked: Asked = {}): Appraisal =>
  appraise(one, { promptTokens: 10, ...asked }, sources);
const planned = (candidates: Candidate[], asked: Asked = {}): Plan =>
  makePlan({
    ...sources,
    request: { messages: [{ role: 'user', content: 'hello' }], ...asked },
    candidates,
    fallbacks: [candidate('thinker', { label: 'fallback' })],
    ranker: createPriorRanker(defaults.routing),
    limits: { retriesPerCandidate: 0, firstEventTimeoutMs: 1, idleTimeoutMs: 1, totalTimeoutMs: 1 },
    blame: { field: 'models', code: 'validation_failed' },
  });

describe('the effort of a candidate', () => {
  it('is null where nobody names one', () => {
    expect(appraised(candidate('plain')).effort).toBeNull();
    expect(appraised(candidate('plain')).candidate.effort).toBeUndefined();
  });

  it('is the configured one', () => {
    expect(appraised(candidate('thinker')).effort).toBe('high');
    expect(appraised(candidate('thinker')).candidate.effort).toBe('high');
  });

  it.each(efforts)("is the candidate's own before the configured one: %s", (effort) => {
    const attributes = { reasoning_effort: effort };
    expect(appraised(candidate('thinker', { attributes })).effort).toBe(effort);
    expect(appraised(candidate('thinker', { effort })).effort).toBe(effort);
  });

  it.each([7, 'enormous', null, ['high'], {}, true])('is not %j, which is no effort', (value) => {
    const attributes = { reasoning_effort: value };
    expect(appraised(candidate('thinker', { attributes })).effort).toBe('high');
    expect(appraised(candidate('plain', { attributes })).effort).toBeNull();
  });

  it("is the request's before all others", () => {
    const one = candidate('thinker', { attributes: { reasoning_effort: 'medium' } });
    expect(appraised(one, { reasoningEffort: 'low' }).effort).toBe('low');
  });

  it('is not known where the request says it in a way that is no level', () => {
    const { effort, candidate: asked } = appraised(candidate('thinker', { effort: 'low' }), {
      reasoningEffort: null,
    });
    expect(effort).toBeNull();
    expect(asked.effort).toBeUndefined();
  });

  it("is that of the model's name, which need not be asked for", () => {
    const named = appraised(candidate('grok-4-fast-non-reasoning'));
    expect(named.effort).toBe('none');
    expect(named.candidate.effort).toBeUndefined();
  });
});

describe('a plan', () => {
  const pair = [
    candidate('gpt-5', { label: 'quick', attributes: { reasoning_effort: 'minimal' } }),
    candidate('gpt-5', { label: 'deep', attributes: { reasoning_effort: 'high' } }),
    candidate('gpt-5', { label: 'usual' }),
  ];

  it('has one model at several efforts, and says which', () => {
    const efforts = Object.fromEntries(
      explainPlan(planned(pair)).map(({ label, effort }) => [label, effort]),
    );
    expect(efforts).toEqual({ quick: 'minimal', deep: 'high', usual: undefined, fallback: 'high' });
  });

  it("has all candidates at the request's effort", () => {
    const { candidates } = planned(pair, { reasoningEffort: 'low' });
    expect(candidates.map(({ effort }) => effort)).toEqual(['low', 'low', 'low', 'low']);
  });

  it('keeps the effort in the order given', () => {
    const known = pair.map((one) => appraised(one));
    const ranked = givenOrder.rank({ messages: [] }, known);
    expect(ranked.map(({ effort }) => effort)).toEqual(['minimal', 'high', undefined]);
  });
});

describe('the effort that a request names', () => {
  it.each([
    [{}, undefined],
    [{ reasoning_effort: null }, undefined],
    [{ reasoning_effort: 'low' }, 'low'],
    [{ reasoning_effort: 'default' }, null],
    [{ reasoning: { effort: 'xhigh' } }, 'xhigh'],
    [{ reasoning: { max_tokens: 2000 } }, null],
    [{ reasoning: { enabled: false } }, 'none'],
    [{ reasoning: { enabled: true } }, null],
    [{ reasoning: { exclude: true } }, undefined],
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, null],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ extra_body: { google: { thinking_config: { thinking_budget: 0 } } } }, null],
    [{ generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }, null],
    [{ generationConfig: { temperature: 1 }, extra_body: null, thinking: null }, undefined],
  ] as const)('in %j is %s', (fields, effort) => {
    expect(askedEffort({ messages: [], ...fields })).toBe(effort);
  });
});
