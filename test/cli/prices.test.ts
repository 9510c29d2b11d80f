import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Provider, waitForUpdate } from '@pydantic/genai-prices';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  revertPricesCommand,
  showPricesCommand,
  updatePricesCommand,
} from '../../src/cli/prices.js';
import { usageCommand } from '../../src/cli/reports.js';
import { type Config, resolveConfig, type WrittenConfig } from '../../src/config/config.js';
import { rules } from '../../src/gateway.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { numberAt } from '../helpers/json.js';
import { requestRow } from '../helpers/request-row.js';
import { post } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const bundled = (await waitForUpdate()) ?? [];
type Model = Provider['models'][number];

/** The bundled data with gpt-4o changed, in a new list. */
const changedData = (change: (model: Model) => void, more: Model[] = []): Provider[] => {
  const data = structuredClone(bundled);
  const openai = data.find(({ id }) => id === 'openai')!;
  change(openai.models.find(({ id }) => id === 'gpt-4o')!);
  openai.models.push(...more);
  return data;
};
const factorOf =
  (factor: number) =>
  (model: Model): void => {
    if (Array.isArray(model.prices)) throw new Error('gpt-4o has prices by date');
    model.prices['input_mtok'] = Number(model.prices['input_mtok']) * factor;
  };

describe.each(databases)('signalbox prices on %s', (_name, make) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let replicas: RunningGateway[];
  let store: Store;
  let config: Config;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-prices-'));
  beforeAll(async () => {
    database = await make();
    upstream = await startUpstream();
    const written: WrittenConfig = {
      database: { url: database.url },
      providers: { openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k' } },
    };
    replicas = [await startGateway(written), await startGateway(written)];
    store = await openStore(database.url, { poolSize: 2 });
    config = resolveConfig(written, {}, rules);
  });
  afterAll(async () => {
    await store.close();
    for (const replica of replicas) await replica.close();
    await upstream.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const file = (data: unknown): string => {
    const path = join(folder, 'prices.json');
    writeFileSync(path, typeof data === 'string' ? data : JSON.stringify(data));
    return path;
  };
  const update = (data: unknown, options = {}): Promise<string> =>
    updatePricesCommand(store, config, { from: file(data), ...options });
  const costAt = async (replica: RunningGateway, model = 'openai/gpt-4o'): Promise<number> => {
    const body = { models: [model], messages: [{ role: 'user', content: 'Hi' }] };
    const reply = await post(`${replica.url}/api/v1/completions`, body, replica.auth);
    expect(reply.status, reply.text).toBe(200);
    return numberAt(reply.json, 'usage', 'costs', 'input_tokens_cost');
  };
  const costs = (): Promise<number[]> => Promise.all(replicas.map((one) => costAt(one)));
  const acts = async (act: 'prices.update' | 'prices.revert') =>
    (await store.audit.list({ act }, { limit: 9, cursor: null })).items;

  it('shows what newer data changes, and changes nothing before it is told to', async () => {
    const added = { id: 'gpt-new', match: { equals: 'gpt-new' }, prices: { input_mtok: 1 } };
    const data = changedData(factorOf(2), [added]);
    const openai = data.find(({ id }) => id === 'openai')!;
    openai.models = openai.models.filter(({ id }) => id !== 'gpt-4');
    const shown = await update(data);
    expect(shown).toContain('added: 1 models\n  openai/gpt-new\n');
    expect(shown).toContain('removed: 1 models\n  openai/gpt-4\n');
    expect(shown).toContain('changed: 1 prices, 0 by more than ten times\n');
    expect(shown).toMatch(/openai\/gpt-4o input_mtok: [\d.]+ USD -> [\d.]+ USD \(x 2\)/);
    expect(shown).toContain('nothing was changed');
    expect(await store.priceEditions.newest()).toBeNull();
    expect(await acts('prices.update')).toEqual([]);
  });

  it('puts it in force on all replicas without a restart, and the old one back', async () => {
    const [before = 0] = await costs();
    expect(before).toBeGreaterThan(0);
    expect(await update(changedData(factorOf(2)), { apply: true })).toContain('in force within');
    await until(async () => (await costs()).every((cost) => Math.abs(cost - 2 * before) < 1e-9));
    expect(await update(changedData(factorOf(3)), { apply: true })).toContain('(x 1.5)');
    await until(async () => (await costs()).every((cost) => Math.abs(cost - 3 * before) < 1e-9));
    expect(await showPricesCommand(store, config)).toContain(
      `price data: ${join(folder, 'prices.json')}`,
    );
    expect(await revertPricesCommand(store)).toContain('prices.json');
    await until(async () => (await costs()).every((cost) => Math.abs(cost - 2 * before) < 1e-9));
    expect(await revertPricesCommand(store)).toContain('of the package');
    await until(async () => (await costs()).every((cost) => cost === before));
    expect(await revertPricesCommand(store)).toContain('nothing was changed');
    expect(await acts('prices.update')).toMatchObject([
      { address: 'command line', details: { changed: 1, jumps: 0 } },
      { details: { changed: 1 } },
    ]);
    expect(await acts('prices.revert')).toHaveLength(2);
  });

  it('refuses jumps beyond ten times unless they are accepted', async () => {
    for (const factor of [11, 0.05, 0]) {
      const data = changedData(factorOf(factor));
      expect(await update(data)).toContain('1 by more than ten times');
      await expect(update(data, { apply: true })).rejects.toThrow('more than ten times');
    }
    expect(await store.priceEditions.newest()).toBeNull();
    await update(changedData(factorOf(11)), { apply: true, acceptJumps: true });
    expect(await store.priceEditions.newest()).not.toBeNull();
    await revertPricesCommand(store);
  });

  it.each([
    ['for a date to come', [{}, { constraint: { start_date: '2999-01-01' } }], 'from 2999-01-01'],
    [
      'for an hour of the day',
      [{}, { constraint: { start_time: '00:30:00Z', end_time: '00:31:00Z' } }],
      'from 00:30:00Z to 00:31:00Z',
    ],
  ])('counts a jump %s, when it is read', async (_when, conditions, named) => {
    const entries = conditions.map((one, n) => ({ ...one, prices: { input_mtok: n ? 250 : 2.5 } }));
    const data = changedData((model) => Object.assign(model, { prices: entries }));
    expect(await update(data)).toContain(`gpt-4o input_mtok ${named}: 2.5 USD -> 250 USD (x 100)`);
    await expect(update(data, { apply: true })).rejects.toThrow('more than ten times');
  });

  it('counts a jump in a new tier, and in a provider that is named first of two', async () => {
    const tiers = { base: 2.5, tiers: [{ start: 9, price: 250 }] };
    const tiered = changedData((model) => Object.assign(model, { prices: { input_mtok: tiers } }));
    expect(await update(tiered)).toContain('input_mtok above 9: 2.5 USD -> 250 USD (x 100)');
    const [openai] = changedData(factorOf(100)).filter(({ id }) => id === 'openai');
    expect(await update([openai, ...bundled])).toContain('changed: 1 prices, 1 by more than ten');
  });

  it('uses what was stored last, also where the clock of another machine is ahead', async () => {
    const ahead = { id: 'ahead', at: Date.now() + 60_000, source: 'ahead' };
    await store.priceEditions.add(ahead, JSON.stringify(bundled));
    await update(changedData(factorOf(2)), { apply: true });
    expect((await store.priceEditions.newest())?.id).not.toBe('ahead');
    expect(await revertPricesCommand(store)).toContain('from ahead');
    await revertPricesCommand(store);
  });

  it.each([
    ['no JSON', '{'],
    ['no list', {}],
    ['an empty list', []],
    ['more than 4 MiB', ' '.repeat(4 * 1024 * 1024) + JSON.stringify(bundled)],
    ['a provider that is none', [null]],
    ['a provider without models', [{ id: 'x' }]],
    ['a model without a rule', changedData((model) => Reflect.deleteProperty(model, 'match'))],
    ['rules that are a text', changedData((model) => Object.assign(model.match, { or: 'x' }))],
    [
      'a rule that is none',
      changedData((model) => Object.assign(model, { match: { or: [null] } })),
    ],
    [
      'a text in a rule that is a list',
      changedData((model) => Object.assign(model, { match: { equals: [{ equals: 'x' }] } })),
    ],
    ['a name of 1 MB', changedData((model) => (model.id = 'x'.repeat(1e6)))],
    [
      'a length that is no number',
      changedData((model) => Object.assign(model, { context_window: '128k' })),
    ],
    ['no length', changedData((model) => (model.context_window = -5))],
    ['prices that are a text', changedData((model) => Object.assign(model, { prices: 'free' }))],
    [
      'fallbacks that are no list',
      [{ ...bundled[0], fallback_model_providers: {} }, ...bundled.slice(1)],
    ],
    ['a rule that is no expression', changedData((model) => (model.match = { regex: '(' }))],
    ['a price that is no number', changedData((model) => (model.prices = { input_mtok: -1 }))],
    [
      'an unknown constraint',
      changedData((model) =>
        Object.assign(model, { prices: [{ constraint: { on: 'x' }, prices: {} }] }),
      ),
    ],
  ])('refuses %s', async (_what, data) => {
    await expect(update(data, { apply: true })).rejects.toThrow();
    expect(await store.priceEditions.newest()).toBeNull();
  });

  it('reads an address that the operator names', async () => {
    const server = createServer((req, res) => {
      if (req.url?.startsWith('/data.json')) res.end(JSON.stringify(changedData(factorOf(2))));
      else res.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await updatePricesCommand(store, config, { from: `${url}/data.json` })).toContain(
      '(x 2)',
    );
    await expect(updatePricesCommand(store, config, { from: `${url}/none` })).rejects.toThrow(
      '404',
    );
    const from = `${url}/data.json?token=hidden`;
    await updatePricesCommand(store, config, { from, apply: true });
    expect((await store.priceEditions.newest())?.source).toBe(`${url}/data.json`);
    expect((await acts('prices.update'))[0]).toMatchObject({
      details: { source: `${url}/data.json` },
    });
    await revertPricesCommand(store);
    server.close();
  });

  it('tells which models that were used have no price', async () => {
    const [first] = replicas;
    // free, and still known where a provider has taken the demo's place
    await store.requests.add([requestRow({ provider: 'demo', model: 'demo-small', costUsd: 0 })]);
    await post(
      `${first!.url}/v1/chat/completions`,
      { model: 'openai/gpt-nowhere', messages: [{ role: 'user', content: 'Hi' }] },
      first!.auth,
    );
    await until(async () =>
      (await showPricesCommand(store, config)).includes('openai/gpt-nowhere'),
    );
    expect(await showPricesCommand(store, config)).not.toMatch(/openai\/gpt-4o|demo/);
    const note =
      /\nNote: no price is known of openai\/gpt-nowhere: its requests count as 0 USD\.\n$/;
    expect(await usageCommand(store, config, { by: 'model' })).toMatch(note);
    const other = { by: 'model', model: 'openai/gpt-4o' };
    expect(await usageCommand(store, config, other)).not.toContain('Note');
    expect(await usageCommand(store, config, { by: 'model', csv: true })).not.toContain('Note');
  });

  it('keeps the newest five', async () => {
    for (let n = 0; n < 7; n++)
      await store.priceEditions.add({ id: `${n}`, at: n, source: `${n}` }, '[]');
    for (let n = 6; n >= 2; n--)
      expect((await store.priceEditions.removeNewest())?.id).toBe(`${n}`);
    expect(await store.priceEditions.removeNewest()).toBeNull();
  });
});
