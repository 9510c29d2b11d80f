import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CompletionEvent,
  type ConfigInput,
  createGateway,
  type Gateway,
  type GatewayError,
  type HostCaller,
  type RunRequest,
} from '../../src/index.js';
import { keepingLogger } from '../helpers/gateway.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const caller: HostCaller = { account: 'alice' };

let upstream: Upstream;
let gateway: Gateway;
beforeEach(async () => {
  upstream = await startUpstream();
  gateway = createGateway(configured(), { env: {}, logger: pino({ level: 'silent' }) });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const configured = (): ConfigInput => ({
  providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
  models: { 'up/good': { inputPrice: 1, outputPrice: 10 } },
  limits: { maxRetries: 0 },
});

async function collected(stream: AsyncIterable<CompletionEvent>): Promise<CompletionEvent[]> {
  const events: CompletionEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
const textOf = (events: readonly CompletionEvent[]): string =>
  events
    .map((event) => (event.type === 'chunk' ? (event.chunk.choices[0]?.delta.content ?? '') : ''))
    .join('');
const failureOf = (work: Promise<unknown>): Promise<GatewayError> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as GatewayError,
  );

describe('gateway.select', () => {
  it('chooses among candidates without any request over HTTP', async () => {
    const plan = await gateway.select(
      {
        messages,
        llm_providers: [
          { name: 'mine', attributes: { quality: 0.9 } },
          { name: 'other', attributes: { quality: 0.2 } },
        ],
      },
      { caller },
    );
    expect(plan.candidates.map(({ label }) => label)).toEqual(['mine', 'other']);
    expect(upstream.requests).toEqual([]);
  });

  it('continues a session of the same caller, and of no other', async () => {
    const ask = { messages, llm_providers: [{ name: 'a' }, { name: 'b' }] };
    const { id } = await gateway.select(ask, { caller });
    const again = { ...ask, previous_session: id };
    await expect(gateway.select(again, { caller })).resolves.toMatchObject({
      candidates: expect.any(Array),
    });
    expect(await failureOf(gateway.select(again, { caller: { account: 'bob' } }))).toMatchObject({
      code: 'not_found',
      field: 'previous_session',
    });
  });

  it('names the field that is wrong', async () => {
    expect(
      await failureOf(gateway.select({ messages, llm_providers: [] }, { caller })),
    ).toMatchObject({ code: 'bad_request', field: 'llm_providers' });
  });
});

describe('gateway.run', () => {
  it('answers with the whole completion, its usage and its cost', async () => {
    const answer = await gateway.run({ model: 'up/good', messages }, { caller });
    expect(answer).toMatchObject({ provider: 'up', model: 'good', finishReason: 'stop' });
    expect(answer.completion.choices[0]?.message.content).not.toBe('');
    expect(answer.usage.completionTokens).toBeGreaterThan(0);
    expect(answer.costs.total_tokens_cost).toBeGreaterThan(0);
    expect(answer.errorTrace).toEqual([]);
  });

  it('reads the words of other APIs, as the routes do', async () => {
    const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }];
    const asked: object = { model: 'up/good', input: 'Hi', instructions: 'Be kind', tools };
    await gateway.run(asked as RunRequest & { stream: false }, { caller });
    expect(upstream.requests.at(-1)?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be kind' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [{ type: 'function', function: { name: 'look' } }],
    });
  });

  it('streams chunks and then one end, with the same text as the whole answer', async () => {
    const whole = await gateway.run({ model: 'up/good', messages }, { caller });
    const events = await collected(
      gateway.run({ model: 'up/good', messages, stream: true }, { caller }),
    );
    expect(textOf(events)).toBe(whole.completion.choices[0]?.message.content);
    expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'end', model: 'good', finishReason: 'stop' });
  });

  it('falls back, and reports the attempt that failed', async () => {
    upstream.script([{ status: 500 }, {}]);
    const answer = await gateway.run(
      { model: 'up/bad', fallback_models: ['up/good'], messages },
      { caller },
    );
    expect(answer).toMatchObject({ model: 'good', errorTrace: [{ model: 'bad', status: 500 }] });
  });

  it('throws the error of the last attempt, whole or streamed', async () => {
    upstream.script([{ status: 500 }]);
    const ask = { model: 'up/good', messages };
    expect(await failureOf(gateway.run(ask, { caller }))).toMatchObject({ status: 502 });
    expect(
      await failureOf(collected(gateway.run({ ...ask, stream: true }, { caller }))),
    ).toMatchObject({ status: 502 });
  });

  it('throws a broken stream after the text that came before', async () => {
    upstream.script([{ reset: 'afterContent', text: ['one ', 'two '] }]);
    const events: CompletionEvent[] = [];
    const broken = (async () => {
      for await (const event of gateway.run({ model: 'up/good', messages, stream: true }))
        events.push(event);
    })();
    expect(await failureOf(broken)).toMatchObject({ status: 502 });
    expect(events.some(({ type }) => type === 'end')).toBe(false);
  });

  it('cancels the upstream call when the reader leaves its loop', async () => {
    upstream.script([{ hang: 'afterContent' }]);
    for await (const event of gateway.run({ model: 'up/good', messages, stream: true }))
      if (event.type === 'chunk') break;
    await upstream.closed(0);
  });

  it('cancels the upstream call when the signal aborts', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    const controller = new AbortController();
    const answer = gateway.run(
      { model: 'up/good', messages },
      { caller, signal: controller.signal },
    );
    await upstream.received(0);
    controller.abort();
    expect(await failureOf(answer)).toMatchObject({ code: 'client_closed' });
    await upstream.closed(0);
  });

  it('holds a caller to its models and its requests a minute', async () => {
    const narrow = { account: 'carol', models: ['up/good'], limits: { requestsPerMinute: 1 } };
    const ask = (model: string) => gateway.run({ model, messages }, { caller: narrow });
    expect(await failureOf(ask('up/other'))).toMatchObject({ code: 'bad_request' });
    await ask('up/good');
    expect(await failureOf(ask('up/good'))).toMatchObject({ code: 'too_many_requests' });
  });

  it('writes a log line and metrics as a request over HTTP does', async () => {
    const log = keepingLogger('info');
    const logged = createGateway(configured(), { env: {}, logger: log.logger });
    try {
      await logged.run({ model: 'up/good', messages }, { caller });
      expect(log.lines).toContainEqual(
        expect.objectContaining({
          surface: 'direct',
          accountId: 'host:alice',
          status: 200,
          model: 'up/good',
        }),
      );
    } finally {
      await logged.close();
    }
  });
});
