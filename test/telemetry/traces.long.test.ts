import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OtlpReceiver, startOtlpReceiver } from '../helpers/otlp-receiver.js';
import { endProcesses, startProcess } from '../helpers/process.js';
import { post } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let collector: OtlpReceiver;

beforeAll(async () => {
  [upstream, collector] = await Promise.all([startUpstream(), startOtlpReceiver()]);
});
afterEach(() => endProcesses());
afterAll(() => Promise.all([upstream.close(), collector.close()]));

describe('a process with the variables of OpenTelemetry', () => {
  it('sends its spans to the collector, the last ones when it stops', async () => {
    const gateway = await startProcess({
      config: `providers:\n  up: { api: openai-compatible, baseUrl: '${upstream.url}/v1' }\nmodels:\n  up/model: {}\n`,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=secret-7',
        OTEL_SERVICE_NAME: 'models',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        OTEL_BSP_SCHEDULE_DELAY: '600000',
      },
    });
    const messages = [{ role: 'user', content: 'Hi' }];
    const body = { messages, models: ['up/model'] };
    const { status } = await post(`${gateway.url}/api/v1/completions`, body, gateway.auth);
    expect(status).toBe(200);
    expect(collector.spans).toEqual([]);
    gateway.signal('SIGTERM');
    expect((await gateway.ended).code).toBe(0);
    expect(collector.spans.map(({ name }) => name).sort()).toEqual([
      'POST /api/v1/completions',
      'chat model',
      'select model',
    ]);
    expect(collector.headers[0]).toMatchObject({ 'x-collector-key': 'secret-7' });
    expect(collector.spans[0]?.resource).toMatchObject({
      'service.name': 'models',
      'deployment.environment.name': 'test',
    });
  }, 120_000);
});
