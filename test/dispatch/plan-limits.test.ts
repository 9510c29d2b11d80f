import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerWriter } from '../../src/dispatch/answer-writer.js';
import { Cancellation } from '../../src/dispatch/cancellation.js';
import { ChatCall } from '../../src/dispatch/chat-call.js';
import { callTask } from '../../src/dispatch/call-task.js';
import { BrokenStream, executePlan } from '../../src/dispatch/execute-plan.js';
import { createProvider, type Provider } from '../../src/dispatch/provider.js';
import { limitsOf } from '../../src/pipeline/plan-request.js';
import type { GatewaySnapshot } from '../../src/pipeline/engine/snapshot.js';
import { dialects } from '../../src/providers/index.js';
import type { Limits } from '../../src/chooser/plan.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const longMs = 60_000;
const long: Limits = {
  retriesPerCandidate: 0,
  firstEventTimeoutMs: longMs,
  idleTimeoutMs: longMs,
  totalTimeoutMs: longMs,
};

let upstream: Upstream;
const providers: Provider[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(async () => {
  // the connections of silent calls were aborted with them
  await Promise.all(providers.map(({ upstreams }) => upstreams.close()));
  await upstream.close();
});

function providerWith(timeouts: { firstEventMs: number | null; idleMs: number }): Provider {
  const settings = { name: 'up', api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  const adapter = dialects.get('openai-compatible')!.create(settings);
  const provider = createProvider(adapter, [], { connectMs: longMs, ...timeouts });
  providers.push(provider);
  return provider;
}

/** A client that takes every chunk at once. */
const streamingClient = (): AnswerWriter => ({
  streams: true,
  dialect: 'chat',
  begin: () => undefined,
  text: () => undefined,
  chunk: () => undefined,
  whole: () => undefined,
  flush: () => true,
  whenDrained: (resume) => resume(),
});

const complete = (provider: Provider, limits: Limits) =>
  executePlan({
    plan: { candidates: [{ label: 'up/m', provider: 'up', model: 'm' }], limits },
    stream: true,
    callOf: (target) =>
      new ChatCall(target, {
        chat: { messages: [{ role: 'user', content: 'Hi' }] },
        writer: streamingClient(),
      }),
    cancellation: new Cancellation(),
    providerOf: () => provider,
    onAttempt: () => undefined,
  });

const failureOf = async (provider: Provider, limits: Limits) => {
  const error: unknown = await complete(provider, limits).catch((thrown: unknown) => thrown);
  return error instanceof BrokenStream ? error.error : error;
};

describe('the wait for a first event, where the settings of a provider do not state one', () => {
  const waitOf = (model: string, more: object = {}, stream = true): number => {
    const provider = providerWith({ firstEventMs: null, idleMs: longMs });
    const chat = { messages: [{ role: 'user' as const, content: 'Hi' }], ...more };
    const candidate = { label: `up/${model}`, provider: 'up', model };
    return new ChatCall({ provider, candidate, stream }, { chat, writer: streamingClient() })
      .firstEventMs;
  };

  it.each([
    ['a model that does not reason', 'gpt-4o', {}],
    ['a model of unknown habits', 'our-finetune', {}],
    ['a model that is asked for little reasoning', 'o3', { reasoning_effort: 'low' }],
  ])('is a minute for %s', (_name, model, more) => {
    expect(waitOf(model, more)).toBe(60_000);
  });

  it.each([
    ['a model that is asked for high effort', 'gpt-5', { reasoning_effort: 'high' }],
    ['a model that reasons so by default', 'grok-4.5', {}],
    ['a model whose name says so', 'o3-mini-high', {}],
    ['a number of tokens to reason with', 'claude-opus-4-1', { thinking: { type: 'enabled' } }],
  ])('is five minutes for %s', (_name, model, more) => {
    expect(waitOf(model, more)).toBe(300_000);
  });

  it('is five minutes for an answer that is not streamed', () => {
    expect(waitOf('gpt-4o', {}, false)).toBe(300_000);
  });
});

describe('while a provider sends nothing at all', () => {
  beforeEach(() => upstream.script([{ hang: 'beforeHeaders' }]));

  it.each([
    ["the plan's limit ends the attempt where it is shorter", longMs, 40],
    ["the provider's timeout ends the attempt where it is shorter", 40, longMs],
  ])('%s', async (_title, firstEventMs, firstEventTimeoutMs) => {
    const provider = providerWith({ firstEventMs, idleMs: longMs });
    expect(await failureOf(provider, { ...long, firstEventTimeoutMs })).toMatchObject({
      code: 'upstream_timeout',
      message: 'up sent no first event within 40 ms',
    });
  });

  it("the plan's limit ends a request for embeddings too", async () => {
    const provider = providerWith({ firstEventMs: longMs, idleMs: longMs });
    const { embeddings: adapter } = provider.adapter;
    const candidate = { label: 'up/m', provider: 'up', model: 'm' };
    const request = callTask({
      targets: adapter ? [{ candidate, provider, adapter }] : [],
      body: { input: 'Hi' },
      limits: { ...long, firstEventTimeoutMs: 40 },
      cancellation: new Cancellation(),
      onAttempt: () => undefined,
      onPart: () => undefined,
      owner: { accountId: 'a', weight: 1 },
    });
    await expect(request).rejects.toMatchObject({ code: 'upstream_timeout' });
  });
});

describe('while a provider pauses in its answer', () => {
  beforeEach(() => upstream.script([{ hang: 'afterContent' }]));

  it.each([
    ["the plan's limit ends the attempt where it is shorter", longMs, 40],
    ["the provider's timeout ends the attempt where it is shorter", 40, longMs],
  ])('%s', async (_title, idleMs, idleTimeoutMs) => {
    const provider = providerWith({ firstEventMs: longMs, idleMs });
    expect(await failureOf(provider, { ...long, idleTimeoutMs })).toMatchObject({
      code: 'upstream_timeout',
      message: 'up sent nothing for 40 ms',
    });
  });
});

it('a provider that begins late and then falls silent is given up after its idle timeout', async () => {
  upstream.script([{ hang: 'afterContent', delayMs: 90 }]);
  const provider = providerWith({ firstEventMs: longMs, idleMs: 40 });
  expect(await failureOf(provider, long)).toMatchObject({
    code: 'upstream_timeout',
    message: 'up sent nothing for 40 ms',
  });
});

it('a request leaves the timeouts of its providers as configured', () => {
  const limits = { totalTimeoutMs: 900_000, maxRetries: 2 } as GatewaySnapshot['limits'];
  expect(limitsOf({ limits } as GatewaySnapshot, null)).toMatchObject({
    firstEventTimeoutMs: 900_000,
    idleTimeoutMs: 900_000,
  });
});
