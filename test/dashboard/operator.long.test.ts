import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { keyFor } from '../../src/accounts/first-key.js';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import { demoRequests } from '../docs/demo-data.js';
import { buildOnce } from '../helpers/build.js';
import {
  claimAndOpen,
  closeChromium,
  complaintsOf,
  hasChromium,
  seriousFindings,
} from '../helpers/chromium.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { memoryDatabases } from '../helpers/memory-databases.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const keyId = randomUUID();

/** A day of made-up requests, and one that failed last. */
async function filledGateway(upstream: Upstream): Promise<RunningGateway> {
  const databases = memoryDatabases(null, { onWarning: () => undefined, onNews: () => undefined });
  const { store } = await databases.get();
  const day = Date.now() - 86_400_000;
  const old = { id: keyId, createdAt: day };
  await store.keys.add(keyFor(firstAccountId, 'batch-jobs', 'sk_batch', old));
  // more than a page of each, all newer
  for (let at = day + 1; at <= day + 110; at++) {
    await store.keys.add(keyFor(firstAccountId, `key ${at}`, `sk_${at}`, { createdAt: at }));
    const email = `user-${at - day}@example.org`;
    await store.accounts.create({ id: randomUUID(), email, passwordHash: null, at });
  }
  const rows = demoRequests(Date.now() - 60_000, 0.9, 600).map(({ request }) => ({
    ...request,
    keyId,
  }));
  await store.requests.add(rows);
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-up' } as const;
  return startGateway(
    { providers: { openai: up }, models: { 'openai/gpt-4.1': {} } },
    { databases },
  );
}

describe.runIf(hasChromium)('an operator', () => {
  let upstream: Upstream;
  let gateway: RunningGateway;
  let page: Page;
  beforeAll(async () => {
    await buildOnce();
    upstream = await startUpstream();
    gateway = await filledGateway(upstream);
    page = await claimAndOpen(gateway);
  });
  afterAll(async () => {
    await closeChromium();
    await gateway.close();
    await upstream.close();
  });
  afterEach(() => expect(complaintsOf(page)).toEqual([]));

  const rows = (): Locator => page.getByRole('table', { name: '' }).locator('tbody tr');
  const firstCells = (nth: number): Promise<string[]> =>
    page.locator(`tbody tr > td:nth-child(${nth})`).allInnerTexts();

  /** The text that answers a question, and how many clicks it is away from the overview. */
  const clicksTo = async (path: readonly (() => Locator)[], answer: () => Locator) => {
    await page.goto(gateway.url);
    await page.getByRole('heading', { name: 'Failures by reason' }).waitFor();
    for (const place of path) await place().click();
    await answer().first().waitFor();
    return path.length;
  };
  const failures = (): Locator => page.getByRole('region', { name: 'Failures by reason' }).last();

  it('answers five questions within two clicks from the overview', async () => {
    const { getByRole, getByText } = {
      getByRole: page.getByRole.bind(page),
      getByText: page.getByText.bind(page),
    };
    const clicks = {
      'why did this fail': await clicksTo(
        [() => failures().getByRole('row').nth(1).getByRole('link').last()],
        () => getByRole('alert'),
      ),
      'why do many fail': await clicksTo([], () => failures().getByText('provider overloaded')),
      'what costs most': await clicksTo([() => getByRole('link', { name: /^Spend/ })], () =>
        getByRole('columnheader', { name: /Sorted by Cost/ }),
      ),
      'which key': await clicksTo([], () => failures().getByText(/^batch-jobs \d/)),
      'is a provider down': await clicksTo([() => getByRole('link', { name: 'Models' })], () =>
        getByText(/not known yet|working|failing|cooldown/),
      ),
    };
    expect(clicks).toEqual({
      'why did this fail': 1,
      'why do many fail': 0,
      'what costs most': 1,
      'which key': 0,
      'is a provider down': 1,
    });
    await page.goto(gateway.url);
    await failures().getByText('provider overloaded').first().waitFor();
    const errors = page.getByRole('link', { name: /^Provider errors/ }).first();
    expect(await errors.getAttribute('href')).toContain('failedBy=provider');
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('sees at least 18 requests at 1280 by 900, and sorts all of the day', async () => {
    await page.goto(`${gateway.url}/requests`);
    await rows().first().waitFor();
    const box = await rows().nth(17).boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 900)).toBeLessThanOrEqual(900);
    const outlines = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main input:not([type=checkbox], [type=hidden])')].map((field) => {
        field.focus();
        return getComputedStyle(field.closest('.mantine-Input-input')).outlineStyle;
      })`,
    );
    expect(outlines).toEqual(Array.from({ length: 6 }, () => 'solid'));
    await page.getByRole('button', { name: 'Sort by Cost, highest first' }).click();
    await page.getByRole('columnheader', { name: /Sorted by Cost/ }).waitFor();
    expect(page.url()).toContain('sort=cost');
    const costs = async () =>
      (await firstCells(6)).map((cost) => Number(cost.replace(/[^\d.]/g, '')));
    // until they come, the page shows those of the order before
    await expect
      .poll(costs)
      .toSatisfy((shown: number[]) => shown.every((cost, at) => cost <= (shown[at - 1] ?? cost)));
    expect(await costs()).toHaveLength(50);
    await page.getByRole('button', { name: 'Sorted by Cost, highest first' }).click();
    await expect.poll(() => page.url()).not.toContain('sort');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'failed', exact: true }).click();
    await expect.poll(() => page.url()).toContain('failed=true');
    await page.getByRole('link', { name: 'answered', exact: true }).click();
    await expect.poll(() => page.url()).toContain('failed=false');
  });

  it('sees a request in two lines on a telephone, each alike', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${gateway.url}/requests`);
    await rows().first().waitFor();
    const heights = await rows().evaluateAll((all) =>
      (all as { clientHeight: number }[]).map(({ clientHeight }) => clientHeight),
    );
    expect(Math.max(...heights)).toBeLessThanOrEqual(72);
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(2);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('sees on a telephone an overview of few screens, which opens to all of it', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(gateway.url);
    await failures().getByText('provider overloaded').first().waitFor();
    expect((await page.locator('main').boundingBox())?.height).toBeLessThan(3_200);
    expect(await failures().getByRole('row').count()).toBe(5);
    const charts = page.getByRole('img', { name: /over time/ });
    expect(await charts.count()).toBe(3);
    await page.getByRole('button', { name: 'Show all 6 charts' }).click();
    expect(await charts.count()).toBe(6);
    await page.getByRole('button', { name: /Show all \d+ reasons/ }).click();
    expect(await failures().getByRole('row').count()).toBeGreaterThan(7);
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('opens a request by the keyboard or anywhere on its row, and finds one by its id', async () => {
    await page.goto(`${gateway.url}/requests`);
    await rows().first().waitFor();
    const second = await rows().nth(1).getByRole('link').getAttribute('href');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toBe(`${gateway.url}${second ?? ''}`);
    await page.goBack();
    await rows().nth(2).locator('td').nth(4).click();
    await expect.poll(() => page.url()).toMatch(/requests\/[\w-]+$/);
    await page.goBack();
    await rows().first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type((second ?? '').slice('/requests/'.length));
    await expect.poll(() => rows().count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows().count()).toBeGreaterThan(20);
  });

  it('filters by choices without an error while typing, and keeps a view by its name', async () => {
    await page.goto(`${gateway.url}/requests`);
    const keyFilter = () => page.getByRole('combobox', { name: 'Key', exact: true });
    await keyFilter().fill('batch');
    await page.getByRole('option', { name: 'batch-jobs' }).click();
    await expect.poll(() => page.url()).toContain(`key=${keyId}`);
    await page.reload();
    await expect.poll(() => keyFilter().inputValue()).toBe('batch-jobs');
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'provider failed' }).click();
    // the rows before stay until those of the filter have come
    await expect
      .poll(async () => (await firstCells(3)).filter((one) => /^200$|client left/.test(one)))
      .toEqual([]);
    expect(await firstCells(3)).not.toEqual([]);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of this view').fill('incident');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.goto(`${gateway.url}/requests`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'incident' }).click();
    await expect.poll(() => page.url()).toContain('failedBy=provider');
    await page.goto(`${gateway.url}/requests?failedBy=provider`);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Costs at least').waitFor();
    expect(await page.getByRole('option').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Account' }).fill('user-1@');
    await page.getByRole('option', { name: 'user-1@example.org' }).waitFor();
    await page.getByRole('combobox', { name: 'Account' }).fill('');
    await page.getByLabel('Costs at least').fill('0.5');
    await page.getByText('No request matches').waitFor();
    expect(page.url()).toContain('minCost=0.5');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.goto(`${gateway.url}/requests?failedBy=provider`);
    await page.getByRole('button', { name: 'Export' }).click();
    const href = await page.getByRole('menuitem', { name: /JSONL/ }).getAttribute('href');
    const text = await page.evaluate(async (url) => (await fetch(url)).text(), href ?? '');
    const lines = text.trim().split('\n');
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ code: expect.any(String) as string });
  });
});
