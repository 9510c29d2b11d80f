import { pino } from 'pino';
import { Counter, Registry } from 'prom-client';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ConfigError,
  type ConfigInput,
  createGateway,
  type Gateway,
  type GatewayOptions,
} from '../../src/index.js';
import { buildOnce } from '../helpers/build.js';
import { startProgram } from '../helpers/program.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { isWholeRun } from '../helpers/runs.js';

let upstream: Upstream;
let gateways: Gateway[];
const make = (config: ConfigInput, options: GatewayOptions): Gateway => {
  const gateway = createGateway(
    {
      providers: { local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: { 'local/m': {} },
      ...config,
    },
    { env: {}, ...options },
  );
  gateways.push(gateway);
  return gateway;
};
const run = (gateway: Gateway, model = 'local/m'): Promise<unknown> =>
  gateway.run({ model, messages: [{ role: 'user', content: 'Say hello' }] });

beforeEach(async () => {
  gateways = [];
  upstream = await startUpstream();
});
afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await upstream.close();
});

describe("a host's registry", () => {
  it("has the gateway's metrics beside the host's own, until the gateway is closed", async () => {
    const registry = new Registry();
    new Counter({ name: 'host_orders_total', help: 'Orders.', registers: [registry] }).inc();
    const gateway = make({}, { registry });
    await run(gateway);
    const page = await registry.metrics();
    expect(page).toMatch(/^host_orders_total 1$/m);
    expect(page).toMatch(
      /^signalbox_attempts_total\{provider="local",model="m",outcome="ok"\} 1$/m,
    );
    expect(page).toMatch(/^signalbox_records_queued\{/m);
    expect(await gateway.registry.metrics()).toBe(page.replace(/^.*host_orders[^]*?\n\n/, ''));
    await gateway.close();
    expect(await registry.metrics()).toBe(
      '# HELP host_orders_total Orders.\n# TYPE host_orders_total counter\nhost_orders_total 1\n',
    );
  });

  it('takes two gateways with prefixes, and refuses two without', async () => {
    const registry = new Registry();
    const [first, second] = ['a_', 'b_'].map((prefix) =>
      make({ metrics: { prefix } }, { registry }),
    );
    await run(first!);
    const before = await registry.metrics();
    expect(before).toMatch(/^a_signalbox_attempts_total\{.*\} 1$/m);
    expect(before).toContain('b_signalbox_attempts_total');
    const clash = (): Gateway =>
      createGateway({ metrics: { prefix: 'a_' } }, { env: {}, registry });
    expect(clash).toThrow(ConfigError);
    expect(clash).toThrow(/metrics\.?\[?prefix.*already has a metric a_.*prefix of its own/);
    expect(await registry.metrics()).toBe(before);
    await first!.close();
    expect(await registry.metrics()).not.toContain('a_signalbox');
    await second!.close();
    expect(await registry.metrics()).toBe('\n');
  });
});

describe("a host's logger", () => {
  it('may be an object with info, warn and error', async () => {
    const lines: [string, object, string][] = [];
    const to = (level: string) => (fields: object, message: string) =>
      void lines.push([level, fields, message]);
    const gateway = make(
      {},
      { logger: { info: to('info'), warn: to('warn'), error: to('error') } },
    );
    await run(gateway);
    upstream.script([{ status: 500 }]);
    await make(
      { limits: { maxRetries: 0 } },
      { logger: { info: to('info'), warn: to('warn'), error: to('error') } },
    )
      .run({ model: 'local/m', messages: [{ role: 'user', content: 'Say hello' }] })
      .catch(() => undefined);
    expect(lines).toEqual([
      ['info', expect.objectContaining({ surface: 'direct', status: 200 }), 'request'],
      ['warn', expect.objectContaining({ surface: 'direct', status: 502 }), 'request'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('Say hello');
  });

  it('may be pino, whose level applies, or the console', async () => {
    const written: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void written.push(line) });
    await run(make({}, { logger }));
    expect(written).toEqual([]);
    make({ providers: { a: { api: 'openai' } } }, { logger });
    expect(written.join('')).toContain('needs an API key');
  });
});

describe('the standard output of a host', { timeout: 60_000 }, () => {
  beforeAll(() => buildOnce(), 120_000);

  const rows: [what: string, log: string, options: string, expected: RegExp][] = [
    ['stays empty by itself', '{}', '{}', /^$/],
    [
      'has JSON lines where log.level is set',
      "{ level: 'info' }",
      '{}',
      /^\{"level":30,.*"request"\}\n$/,
    ],
    [
      'has readable lines where the logger is the console',
      '{}',
      '{ logger: console }',
      /^request \{/,
    ],
  ];

  it.each(isWholeRun ? rows : rows.slice(0, 1))('%s', async (_what, log, options, expected) => {
    const program = startProgram(
      `import { createGateway } from 'signalbox';
       const gateway = createGateway({
         providers: { local: { api: 'openai-compatible', baseUrl: '${upstream.url}/v1' } },
         log: ${log},
       }, ${options});
       await gateway.run({ model: 'local/m', messages: [{ role: 'user', content: 'Hello' }] });
       await gateway.close();`,
      {},
    );
    expect(await program.ended, program.output()).toBe(0);
    expect(program.output()).toMatch(expected);
  });
});
