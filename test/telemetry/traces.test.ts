import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WrittenConfig } from '../../src/config/config.js';
import { importedBy } from '../helpers/imported-by.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../helpers/otlp-receiver.js';
import { articlePage, type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

const canary = 'CANARY';
const messages = [{ role: 'user', content: `Say ${canary}` }];
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpan = '00f067aa0ba902b7';

let upstream: Upstream;
let collector: OtlpReceiver;
let world: SearchWorld;
let gateway: RunningGateway;
let log: ReturnType<typeof keepingLogger>;

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream(), startSearchWorld()]);
});
afterAll(() => Promise.all([upstream.close(), world.close()]));
beforeEach(async () => {
  collector = await startOtlpReceiver();
  upstream.script([]);
  upstream.requests.length = 0;
  log = keepingLogger();
  await start();
});
afterEach(async () => {
  await gateway.close();
  await collector.close();
});

async function start(
  tracing: WrittenConfig['tracing'] = {},
  more: WrittenConfig = {},
): Promise<void> {
  gateway = await startGateway(
    {
      limits: { maxRetries: 0 },
      providers: {
        up: { api: 'xai', baseUrl: `${upstream.url}/v1`, apiKey: 'key-up' },
        other: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
      },
      models: {
        'up/model': { inputPrice: 1, outputPrice: 1, tools: true },
        'other/model': { inputPrice: 1, outputPrice: 1 },
      },
      search: {
        engines: [{ type: 'searxng', url: world.url }],
        allowPrivateHosts: [world.host],
        cacheMs: 0,
      },
      tracing: { endpoint: collector.url, ...tracing },
      ...more,
    },
    { logger: log.logger },
  );
}

const native = (body: object = {}, headers: Record<string, string> = {}): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages, models: ['up/model'], ...body },
    { ...gateway.auth, ...headers },
  );

/** The spans of all requests, after the stop has sent what waited. */
async function sent(): Promise<ReceivedSpan[]> {
  await gateway.close();
  return collector.spans;
}

describe('a traced completion', () => {
  it('has no path as long as a client likes', async () => {
    const path = `/proxy/up/v1/${'x'.repeat(3_000)}`;
    await ask('GET', gateway.url + path, gateway.auth);
    const paths = (await sent()).map(({ attributes }) => attributes['url.path']);
    expect(paths).toContain(path.slice(0, 256));
  });

  it('has a span of the server, of the choice and of the call, with the names of the conventions', async () => {
    const reply = await native({ conversationId: null });
    expect(reply.status).toBe(200);
    const spans = await sent();
    expect(spans.map(({ name, kind }) => [name, kind]).sort()).toEqual([
      ['POST /api/v1/completions', 'server'],
      ['chat model', 'client'],
      ['select model', 'internal'],
    ]);
    const server = collector.span('POST /api/v1/completions');
    const call = collector.span('chat model');
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
    expect(server.parentSpanId).toBeUndefined();
    expect(call.parentSpanId).toBe(server.spanId);
    expect(collector.span('select model').parentSpanId).toBe(server.spanId);
    expect(server.isError).toBe(false);
    expect(server.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/api/v1/completions',
      'url.path': '/api/v1/completions',
      'url.scheme': 'http',
      'http.response.status_code': 200,
      'signalbox.request.id': reply.headers['x-request-id'],
      'signalbox.surface': 'completions',
      'signalbox.model': 'up/model',
    });
    expect(call.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'x_ai',
      'gen_ai.request.model': 'model',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(upstream.url).port),
      'http.response.status_code': 200,
      'signalbox.provider': 'up',
    });
    expect(call.attributes).not.toHaveProperty('error.type');
    expect(server.resource).toMatchObject({ 'service.name': 'signalbox' });
    expect(BigInt(call.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(server.startTimeUnixNano));
    expect(BigInt(call.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(server.endTimeUnixNano));
  });

  it('names the conversation that it belongs to', async () => {
    const { json } = await native();
    const id = (json as { conversationId?: string }).conversationId;
    expect(id).toBeTruthy();
    await sent();
    for (const name of ['POST /api/v1/completions', 'chat model'])
      expect(collector.span(name).attributes['gen_ai.conversation.id']).toBe(id);
  });

  it('tells the time to the first token where it is streamed', async () => {
    upstream.script([{ text: ['Hel', 'lo'], delayMs: 50 }]);
    await postStream(
      `${gateway.url}/v1/chat/completions`,
      { model: 'up/model', messages, stream: true },
      { headers: gateway.auth },
    );
    await sent();
    const { attributes } = collector.span('chat model');
    expect(attributes['gen_ai.request.stream']).toBe(true);
    expect(attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThanOrEqual(0.04);
    expect(collector.span('POST /v1/chat/completions').attributes['signalbox.surface']).toBe(
      'openai',
    );
  });

  it('tells what was read from a cache and written to one, as far as the provider says it', async () => {
    await gateway.close();
    const claude = { api: 'anthropic', baseUrl: upstream.url, apiKey: 'key' };
    await start({}, { providers: { claude } });
    upstream.script([{ usage: { prompt: 100, completion: 5, cached: 60, cacheWritten: 30 } }]);
    await native({ models: ['claude/m'] });
    await sent();
    expect(collector.span('chat m').attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.usage.cache_write.input_tokens': 30,
    });
  });

  it('has a span for each call, and the failed one says why without the provider’s words', async () => {
    upstream.script([{ status: 503, body: { error: { message: `no ${canary}` } } }, {}]);
    const reply = await native({ models: ['up/model', 'other/model'] });
    expect(reply.status).toBe(200);
    const spans = await sent();
    const [failed, answered] = spans.filter(({ name }) => name === 'chat model');
    expect(failed).toMatchObject({ isError: true, statusMessage: undefined });
    expect(failed?.attributes).toMatchObject({
      'error.type': 'upstream_overloaded',
      'http.response.status_code': 503,
      'signalbox.provider': 'up',
    });
    expect(answered?.isError).toBe(false);
    expect(answered?.attributes).toMatchObject({
      'gen_ai.provider.name': 'openai-compatible',
      'signalbox.provider': 'other',
    });
  });

  it('shows a call that lost as hedged, without an error', async () => {
    await start({}, { hedge: { maxShare: 1 } });
    let count = 0;
    upstream.script([() => ({ delayMs: count++ < 2 ? 100 : 0 })]);
    for (let asked = 0; asked < 20; asked++) await native({ conversationId: null });
    upstream.script([{ delayMs: 5_000 }, {}]);
    const reply = await native({ fallback_models: ['other/model'] });
    const spans = await sent();
    const own = spans.find(
      ({ attributes }) => attributes['signalbox.request.id'] === reply.headers['x-request-id'],
    );
    const calls = spans.filter(
      ({ parentSpanId, kind }) => parentSpanId === own?.spanId && kind === 'client',
    );
    expect(
      calls
        .map(({ isError, attributes }) => [isError, attributes['signalbox.attempt.outcome']])
        .sort(),
    ).toEqual([
      [false, 'hedge_lost'],
      [false, 'ok'],
    ]);
  });

  it('is an error where the gateway answers 502, and only named where the client is wrong', async () => {
    upstream.script([{ status: 500 }]);
    const status = (await native()).status;
    expect((await native({ models: 'none' })).status).toBe(422);
    const servers = (await sent()).filter(({ kind }) => kind === 'server');
    expect(servers.map(({ isError }) => isError)).toEqual([true, false]);
    expect(servers[0]?.attributes['http.response.status_code']).toBe(status);
    expect(servers[1]?.attributes['error.type']).toBe('validation_failed');
  });

  it('has a span for each search and each tool call', async () => {
    world.pages = [{ title: 'Tower', url: `${world.url}/tower`, text: `All about ${canary}.` }];
    world.web = { '/tower': articlePage('Tower', 'The tower is 312 metres tall.') };
    upstream.script([
      { toolCalls: [{ id: 'c1', name: 'web_search', arguments: { query: `how tall ${canary}` } }] },
      { text: ['312 metres'] },
    ]);
    expect((await native({ search: true })).status).toBe(200);
    await sent();
    const server = collector.span('POST /api/v1/completions');
    const tool = collector.span('execute_tool web_search');
    expect(tool).toMatchObject({ kind: 'internal', parentSpanId: server.spanId, isError: false });
    expect(tool.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'web_search',
      'gen_ai.tool.type': 'extension',
    });
    const search = collector.span('retrieval searxng');
    expect(search).toMatchObject({ kind: 'client', parentSpanId: server.spanId });
    expect(search.attributes).toEqual({
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.data_source.id': 'searxng',
    });
    expect(collector.spans.filter(({ name }) => name === 'chat model')).toHaveLength(2);
  });

  it('has the words of nobody in it', async () => {
    upstream.script([{ text: [canary] }, { status: 400, body: { error: { message: canary } } }]);
    await native();
    await native({ tools: [{ type: 'function', function: { name: 'f', description: canary } }] });
    expect(JSON.stringify(await sent())).not.toContain(canary);
  });

  it('logs the id of its trace', async () => {
    await native();
    await until(() => log.lines.some(({ msg }) => msg === 'request'));
    const line = log.lines.find(({ msg }) => msg === 'request');
    await sent();
    const server = collector.span('POST /api/v1/completions');
    expect(line).toMatchObject({ trace_id: server.traceId });
  });
});

describe('a traced request of another kind', () => {
  it('is named by what it does: embeddings, a choice alone', async () => {
    await post(`${gateway.url}/v1/embeddings`, { model: 'up/model', input: 'x' }, gateway.auth);
    await post(
      `${gateway.url}/api/v1/model-select`,
      { messages, llm_providers: [{ provider: 'up', model: 'model' }] },
      gateway.auth,
    );
    await sent();
    expect(collector.span('embeddings model').attributes).toMatchObject({
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.provider.name': 'x_ai',
    });
    expect(collector.span('select model').parentSpanId).toBe(
      collector.span('POST /api/v1/model-select').spanId,
    );
  });

  it('is no request of pages and of the management API', async () => {
    await ask('GET', `${gateway.url}/healthz`, {});
    await ask('GET', `${gateway.url}/v1/models`, gateway.auth);
    expect(await sent()).toEqual([]);
  });
});

/** Of each request of a trace, the id, which is also in the span. */
async function requestsOf(trace: string): Promise<unknown[]> {
  const { json } = await ask('GET', `${gateway.url}/api/v1/requests?id=${trace}`, gateway.auth);
  return (json as { items: { id: string; traceId: string }[] }).items.map((row) => {
    expect(row.traceId).toBe(trace);
    return row.id;
  });
}

describe('the request log', () => {
  it('has the requests of a trace, whose spans have their ids', async () => {
    const replies = [await native(), await native()];
    const ids = replies.map(({ headers }) => String(headers['x-request-id']));
    await until(() => log.lines.filter(({ msg }) => msg === 'request').length === 2);
    const traces = log.lines.flatMap(({ msg, trace_id: trace }) =>
      msg === 'request' ? [String(trace)] : [],
    );
    expect(await requestsOf(traces[0]!)).toEqual([ids[0]]);
    expect(await requestsOf(traces[1]!)).toEqual([ids[1]]);
    const spans = (await sent()).filter(({ kind }) => kind === 'server');
    expect(spans.map(({ attributes }) => attributes['signalbox.request.id'])).toEqual(ids);
  });

  it('has the trace of a client also where nothing is traced, and otherwise none', async () => {
    await gateway.close();
    await start({ enabled: false });
    const of = await native({}, { traceparent: `00-${traceId}-${callerSpan}-01` });
    await native({}, { traceparent: `00-${'0'.repeat(32)}-${callerSpan}-01` });
    await native({}, { traceparent: 'nonsense' });
    expect(await requestsOf(traceId)).toEqual([of.headers['x-request-id']]);
    const { json } = await ask('GET', `${gateway.url}/api/v1/requests`, gateway.auth);
    const rows = (json as { items: { traceId: string | null }[] }).items;
    expect(rows.map((row) => row.traceId)).toEqual([null, null, traceId]);
  });
});

describe('traceparent', () => {
  const incoming = {
    traceparent: `00-${traceId}-${callerSpan}-01`,
    tracestate: 'vendor=1',
  };

  it('of a client is the parent, and a provider in the own network gets the span of its call', async () => {
    await native({}, incoming);
    await sent();
    const server = collector.span('POST /api/v1/completions');
    expect(server).toMatchObject({ traceId, parentSpanId: callerSpan, kind: 'server' });
    expect(upstream.requests[0]?.headers).toMatchObject({
      traceparent: `00-${traceId}-${collector.span('chat model').spanId}-01`,
      tracestate: 'vendor=1',
    });
  });

  it('goes along with a request that is passed through, with the span of the request', async () => {
    await gateway.close();
    await start({}, { proxy: { enabled: true } });
    await post(`${gateway.url}/proxy/up/chat/completions`, {}, { ...gateway.auth, ...incoming });
    const [request] = (await sent()).filter(({ kind }) => kind === 'server');
    expect(request).toMatchObject({ traceId, parentSpanId: callerSpan });
    expect(upstream.requests[0]?.headers).toMatchObject({
      traceparent: `00-${traceId}-${request!.spanId}-01`,
      tracestate: 'vendor=1',
    });
  });

  it('that is not sampled is not exported, and says so to the provider', async () => {
    await native({}, { traceparent: `00-${traceId}-${callerSpan}-00` });
    expect(await sent()).toEqual([]);
    expect(String(upstream.requests[0]?.headers['traceparent'])).toMatch(
      new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`),
    );
  });

  it('that is not valid begins a new trace', async () => {
    await native({}, { traceparent: 'nonsense' });
    await sent();
    const server = collector.span('POST /api/v1/completions');
    expect(server.parentSpanId).toBeUndefined();
    expect(server.traceId).not.toBe(traceId);
  });

  it('goes to no provider where the configuration says none', async () => {
    await gateway.close();
    await start({ propagate: 'none' }, { proxy: { enabled: true } });
    await native({}, incoming);
    await post(`${gateway.url}/proxy/up/chat/completions`, {}, { ...gateway.auth, ...incoming });
    expect(upstream.requests).toHaveLength(2);
    for (const { headers } of upstream.requests) {
      expect(headers).not.toHaveProperty('traceparent');
      expect(headers).not.toHaveProperty('tracestate');
    }
  });
});

describe('tracing', () => {
  it.each(['index.ts', 'telemetry/traces/tracing.ts'])('imports no package with %s', (file) => {
    const imported = [...importedBy(file)];
    expect(imported.length).toBeGreaterThan(2);
    expect(imported.filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
  });

  it('keeps no trace at the rate 0, and those that a client samples', async () => {
    await gateway.close();
    await start({ sampleRate: 0 });
    await native();
    await native({}, { traceparent: `00-${traceId}-${callerSpan}-01` });
    expect(new Set((await sent()).map((span) => span.traceId))).toEqual(new Set([traceId]));
  });

  it('sends its headers to the collector, and the name of the service', async () => {
    await gateway.close();
    await start({ headers: { 'x-collector-key': 'secret-7' }, serviceName: 'models' });
    await native();
    const [span] = await sent();
    expect(collector.headers[0]).toMatchObject({ 'x-collector-key': 'secret-7' });
    expect(span?.resource).toMatchObject({ 'service.name': 'models' });
  });

  it('counts the spans that the collector refuses, and answers all the same', async () => {
    collector.status = 400;
    expect((await native()).status).toBe(200);
    const { registry } = gateway.gateway;
    await sent();
    const lost = await registry.getSingleMetric('signalbox_records_lost_total')?.get();
    expect(lost?.values.find(({ labels }) => labels['kind'] === 'spans')?.value).toBe(3);
  });

  it('is off without an endpoint: no header goes out, no line has an id', async () => {
    await gateway.close();
    await start({ enabled: false });
    await native({}, { traceparent: `00-${traceId}-${callerSpan}-01` });
    await until(() => log.lines.some(({ msg }) => msg === 'request'));
    expect(log.lines.find(({ msg }) => msg === 'request')).not.toHaveProperty('trace_id');
    expect(upstream.requests[0]?.headers).not.toHaveProperty('traceparent');
    expect(await sent()).toEqual([]);
  });
});
