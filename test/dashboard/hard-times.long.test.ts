import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import { rules } from '../../src/gateway.js';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
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
import { requestRow } from '../helpers/request-row.js';

const longName = 'a-model-with-a-very-long-name-'.repeat(4);
const longError = `<img src=x onerror=alert(1)> \u202Eبالعالم ${'the provider explains '.repeat(300)}${'x'.repeat(900)}`;

/** Sixty requests of the last hour, every other one of a long name and failed with a long text. */
const rows = (now: number) =>
  Array.from({ length: 60 }, (_, at) => {
    const isFailed = at % 2 === 0;
    return requestRow({
      accountId: firstAccountId,
      at: now - at * 60_000,
      provider: 'up',
      model: isFailed ? longName : 'short',
      status: isFailed ? 502 : 200,
      code: isFailed ? 'upstream_error' : null,
      error: isFailed ? longError : null,
    });
  });

describe.runIf(hasChromium)('the dashboard in hard times', () => {
  let gateway: RunningGateway;
  let page: Page;
  beforeAll(async () => {
    await buildOnce();
    const quiet = { onWarning: () => undefined, onNews: () => undefined };
    const databases = memoryDatabases(null, quiet);
    await (await databases.get()).store.requests.add(rows(Date.now()));
    gateway = await startGateway({}, { databases });
    page = await claimAndOpen(gateway);
  });
  afterAll(async () => {
    await closeChromium();
    await gateway.close();
  });
  afterEach(async () => {
    expect(complaintsOf(page)).toEqual([]);
    await page.unrouteAll();
  });

  const open = (path: string) => page.goto(gateway.url + path, { waitUntil: 'networkidle' });
  const refuse = (path: string) =>
    page.route(path, (route) =>
      route.fulfill({ status: 500, json: { message: 'the store is full' } }),
    );

  it('shows the figures of long names and the causes of long errors without scrolling aside', async () => {
    await open('/?range=6h');
    for (const table of ['Failures by reason', 'Models']) {
      const region = page.getByRole('group', { name: table, exact: true });
      await region.getByRole('table').waitFor();
      const widths = await region.evaluate((node) =>
        ['scrollWidth', 'clientWidth'].map((side) => Reflect.get(node, side) as number),
      );
      expect(widths[0]).toBe(widths[1]);
      expect(widths[0]).toBeGreaterThan(0);
    }
  });

  it('shows its frame and the page that was asked for before it is known who is signed in', async () => {
    const asked: string[] = [];
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/v1/**', async (route) => {
      asked.push(new URL(route.request().url()).pathname);
      await answered;
      await route.continue();
    });
    await page.goto(`${gateway.url}/?range=6h`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    // no entry that may be taken away again
    expect(await page.getByRole('navigation').getByRole('link').count()).toBe(0);
    expect(asked).toEqual(['/api/v1/auth/account']);
    answer();
    await page.getByRole('link', { name: 'API keys' }).waitFor();
    await page.getByRole('group', { name: 'Failures by reason' }).waitFor();
  });

  it('asks who signs in where a sign-in has ended that the browser still sends', async () => {
    await page.route('**/api/v1/auth/account', (route) => route.fulfill({ status: 401, json: {} }));
    await page.goto(`${gateway.url}/keys`);
    await page.getByRole('heading', { name: 'Sign in to Signalbox' }).waitFor();
  });

  it.each([
    [{ database: 'unwritable' }, /takes no writes: its disk may be full/],
    [{ database: 'unreachable' }, /cannot reach its database/],
    [{ counters: 'fallback' }, /cannot reach Redis/],
  ])('says on every page what the gateway itself lacks: %o', async (lacks, words) => {
    await page.route('**/readyz', (route) => route.fulfill({ json: { database: 'ok', ...lacks } }));
    for (const path of ['/', '/keys']) {
      await open(path);
      await page.getByRole('alert').getByText(words).waitFor();
    }
  });

  it('gives examples of settings that the configuration takes as they are pasted', async () => {
    const env = { MAIL_PASSWORD: 'secret', WEBHOOK_SECRET: 'of-the-webhook' };
    for (const [path, name] of [
      ['/settings/alerts', /Paste this into the configuration/],
      ['/settings/configuration', /To change a rule/],
      ['/models', 'Price data'],
    ] as const) {
      await open(path);
      const example = await page.getByRole('group', { name }).innerText();
      expect(parseConfig(example, path, env, rules).warnings).toEqual([]);
    }
  });

  it('folds a long error, as text, and shows all of it when it is asked to', async () => {
    await open('/requests?range=6h&failed=true');
    await page.getByRole('table').getByRole('link').first().click();
    const alert = page.getByRole('alert');
    await alert.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect((await alert.boundingBox())?.height).toBeLessThan(260);
    expect(await seriousFindings(page)).toEqual([]);
    await alert.getByRole('button', { name: 'Show all of it' }).click();
    await expect.poll(async () => (await alert.boundingBox())?.height).toBeGreaterThan(600);
  });

  it('moves the cursors of all charts together, by keys too', async () => {
    await open('/?range=6h');
    const chart = page.getByRole('img', { name: /^Requests by model/ });
    await chart.focus();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowLeft');
    const told = page.getByText(/^\w{3} \d+, \d{4}, \d\d:\d\d$/);
    await expect.poll(() => told.count()).toBe(6);
    expect(new Set(await told.allInnerTexts()).size).toBe(1);
  });

  it('claims no zero where the figures of keys cannot be read', async () => {
    await refuse('**/api/v1/usage?**');
    await page.goto(`${gateway.url}/keys`);
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const row = page.getByRole('row', { name: /laptop/ });
    await row.getByText('– this month').waitFor();
    expect(await row.getByRole('link').innerText()).toBe('–');
  });

  it('goes on at the button of a menu when a dialog of it is left by the keyboard', async () => {
    await open('/keys');
    const button = page.getByRole('button', { name: 'Actions for laptop' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const told = () => page.evaluate('document.activeElement.ariaLabel');
    await expect.poll(told).toBe('Actions for laptop');
  });

  it('takes what the mouse chooses among the rarer filters', async () => {
    await open('/requests?range=6h');
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('combobox', { name: 'API' }).click();
    await page.getByRole('option', { name: 'Messages' }).click();
    await page.getByText('No request matches').waitFor();
    expect(page.url()).toContain('surface=messages');
    expect(await page.getByText('Slower than').count()).toBe(1);
  });

  it('says that older figures are not up to date any more, and why', async () => {
    await open('/?range=1h');
    await page.getByRole('heading', { name: 'Requests by model' }).waitFor();
    await refuse('**/api/v1/usage/series?**');
    await page.getByRole('alert').getByText('the store is full').waitFor({ timeout: 20_000 });
    expect(await page.getByRole('heading', { name: 'Requests by model' }).count()).toBe(1);
  });

  it('says why the next page of a list does not come, below what is there', async () => {
    await open('/requests?range=6h');
    await refuse('**/api/v1/requests?*cursor=*');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('alert').getByText('the store is full').waitFor();
    expect(await page.getByRole('table').getByRole('row').count()).toBe(51);
  });

  it('shows pale and as busy the rows of the filter before, until those that are asked for come', async () => {
    await open('/requests?range=6h');
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/v1/requests?**failed=false**', async (route) => {
      await answered;
      await route.continue();
    });
    await page.getByRole('link', { name: 'answered', exact: true }).click();
    const old = page.locator('[aria-busy=true]').getByRole('table');
    await old.waitFor();
    expect(await old.getByRole('row').count()).toBe(51);
    answer();
    await old.waitFor({ state: 'detached' });
    expect(await page.getByRole('table').getByRole('row').count()).toBe(31);
  });

  it('says once why a filter was refused', async () => {
    await open('/requests?status=abc');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  it('saves a view under its name without the spaces around it, and none without a name', async () => {
    await open('/requests?range=6h');
    const name = page.getByRole('textbox', { name: 'Name of this view' });
    await page.getByRole('button', { name: 'Views' }).click();
    for (const typed of ['slow', ' slow ', '  ']) {
      await name.fill(typed);
      await name.press('Enter');
    }
    expect(await page.getByRole('button', { name: /^Remove the view/ }).count()).toBe(1);
  });
});
