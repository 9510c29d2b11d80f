import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/config.js';
import { createGateway, type Gateway } from '../../src/index.js';
import { expressRows, type RunningHost, startHost } from '../helpers/host.js';
import { post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

const key = 'sk_test_0123456789abcdef';
const messages = [{ role: 'user', content: 'Hi' }];
const body = { messages, models: ['up/model'] };
const exporter = new InMemorySpanExporter();
let upstream: Upstream;
let gateway: Gateway;
let host: RunningHost;

beforeAll(async () => {
  upstream = await startUpstream();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(async () => {
  trace.disable();
  context.disable();
  await upstream.close();
});
beforeEach(() => {
  exporter.reset();
  upstream.requests.length = 0;
});
afterEach(async () => {
  await host.close();
  await gateway.close();
});

const configOf = (more: ConfigInput = {}): ConfigInput => ({
  providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
  models: { 'up/model': {}, 'up/second': {} },
  auth: { keys: [{ name: 'test', key }] },
  ...more,
});

/** The finished spans, once there are as many. */
async function spans(count: number): Promise<Map<string, ReadableSpan>> {
  await until(() => exporter.getFinishedSpans().length >= count);
  return new Map(exporter.getFinishedSpans().map((span) => [span.name, span]));
}

describe.each(expressRows)('in a host app with %s that has a tracer', (_name, express) => {
  /** As OpenTelemetry's instrumentation of `http` does for each request. */
  async function start(config: ConfigInput = configOf()): Promise<void> {
    gateway = createGateway(config);
    const tracer = trace.getTracer('host');
    const app = express();
    app.use((_req, res, next) => {
      tracer.startActiveSpan('GET host', (span) => {
        res.once('close', () => span.end());
        next();
      });
    });
    app.post('/choose', gateway.selectModel, (_req, res) => void res.json({}));
    app.post('/code', (_req, res, next) => {
      gateway.run({ model: 'up/model', messages }).then((answer) => res.json(answer), next);
    });
    app.use('/ai', gateway.router);
    host = await startHost(app);
  }
  const send = (path: string, sent: object = body): Promise<Reply> =>
    post(host.url + path, sent, { authorization: `Bearer ${key}` });

  it('a request is a part of the host’s span, and its calls are parts of it', async () => {
    await start();
    expect((await send('/ai/api/v1/completions')).status).toBe(200);
    const found = await spans(4);
    const hosts = found.get('GET host');
    const own = found.get('POST /ai/api/v1/completions');
    expect(own?.parentSpanContext?.spanId).toBe(hosts?.spanContext().spanId);
    expect(own?.spanContext().traceId).toBe(hosts?.spanContext().traceId);
    expect(own?.instrumentationScope.name).toBe('signalbox');
    expect(found.get('chat model')?.parentSpanContext?.spanId).toBe(own?.spanContext().spanId);
  });

  it('a choice on the host’s own route is a part of the host’s span', async () => {
    await start();
    await send('/choose', { ...body, models: ['up/model', 'up/second'] });
    const found = await spans(2);
    expect(found.get('select model')?.parentSpanContext?.spanId).toBe(
      found.get('GET host')?.spanContext().spanId,
    );
  });

  it('a call of the host’s own code is a part of its span', async () => {
    await start();
    expect((await send('/code')).status).toBe(200);
    const found = await spans(4);
    expect(found.get('gateway direct')?.parentSpanContext?.spanId).toBe(
      found.get('GET host')?.spanContext().spanId,
    );
  });

  it('the header is left to the host, unless the configuration asks for it', async () => {
    await start();
    await send('/ai/api/v1/completions');
    expect(upstream.requests[0]?.headers).not.toHaveProperty('traceparent');
    await host.close();
    await gateway.close();
    await start(configOf({ tracing: { propagate: 'local' } }));
    await send('/ai/api/v1/completions');
    expect(upstream.requests[1]?.headers).toHaveProperty('traceparent');
  });

  it('has no spans of the gateway where the configuration says so', async () => {
    await start(configOf({ tracing: { enabled: false } }));
    await send('/ai/api/v1/completions');
    expect([...(await spans(1)).keys()]).toEqual(['GET host']);
  });
});
