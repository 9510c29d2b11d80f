import { afterEach, describe, expect, it } from 'vitest';
import {
  claimAndOpen,
  complaintsOf,
  hasChromium,
  openPage,
  seriousFindings,
} from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';

describe.runIf(hasChromium)('the API reference in a browser', () => {
  let gateway: RunningGateway;
  afterEach(closeDashboards);

  it.each(['light', 'dark'] as const)('calls an operation with a key (%s)', async (theme) => {
    ({ gateway } = await startDashboard());
    const page = await openPage(`${gateway.url}/docs/api-keys`, { theme });
    await page.getByLabel('API key').fill(gateway.key);
    const section = page.locator('#createKey');
    await section.getByText('Try it').click();
    await section.getByLabel('Body').fill('{"name": "from the reference"}');
    await section.getByRole('button', { name: 'Send' }).click();
    await expect
      .poll(() => section.getByRole('status').innerText())
      .toMatch(/^201 Created · X-Request-Id \S+ · \d+ ms\n\n\{\n {2}"object": "key"/);
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaintsOf(page)).toEqual([]);
  });

  it('calls as who is signed in where no key is given, and shows refusals as they are', async () => {
    ({ gateway } = await startDashboard());
    const stranger = await openPage(`${gateway.url}/docs/api-keys`);
    const page = await claimAndOpen(gateway, '/docs/api-keys');
    for (const [asked, status] of [
      [stranger, 401],
      [page, 200],
    ] as const) {
      const section = asked.locator('#listKeys');
      await section.getByText('Try it').click();
      await section.getByLabel('Query').fill('limit=1');
      await section.getByRole('button', { name: 'Send' }).click();
      await expect
        .poll(() => section.getByRole('status').innerText())
        .toMatch(new RegExp(`^${status} [\\s\\S]*\\n\\n\\{`));
    }
    await page.goto(`${gateway.url}/docs/conversations`);
    const section = page.locator('#deleteConversation');
    await section.getByText('Try it').click();
    await section.getByLabel('id', { exact: true }).fill('no/such');
    await section.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => section.getByRole('status').innerText()).toMatch(/^404 /);
  });

  it.each([
    { theme: 'light', width: 1280 },
    { theme: 'dark', width: 390 },
  ] as const)('is in the dashboard, a page for each resource (%j)', async (options) => {
    ({ gateway } = await startDashboard());
    const page = await claimAndOpen(gateway, '/reference/api-keys#createKey', options);
    await page.getByRole('heading', { name: 'API keys', level: 2 }).waitFor();
    expect(await page.getByRole('banner').getByText('Signalbox').count()).toBe(1);
    // as who is signed in
    const section = page.locator('#createKey');
    await section.getByText('Try it').click();
    await section.getByLabel('Body').fill('{"name": "from the dashboard"}');
    await section.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => section.getByRole('status').innerText()).toMatch(/^201 Created/);
    await section.getByRole('link', { name: 'KeyResponse' }).first().click();
    expect(new URL(page.url()).hash).toBe('#KeyResponse');
    await page.locator('#KeyResponse').getByRole('cell', { name: 'prefix' }).waitFor();
    expect(await page.locator('#createCompletion').count()).toBe(0);
    await page
      .getByRole('navigation', { name: 'Contents' })
      .getByRole('link', { name: 'Feedback' })
      .click();
    await page.locator('#giveFeedback').waitFor();
    expect(new URL(page.url()).pathname).toBe('/reference/feedback');
    expect(await seriousFindings(page, ['moderate', 'serious', 'critical'])).toEqual([]);
    await page.goto(`${gateway.url}/reference`);
    await page.getByRole('heading', { name: 'Completions', level: 2 }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.width);
    expect(complaintsOf(page)).toEqual([]);
  });

  it('is read again once the gateway answers, and says until then that it does not', async () => {
    ({ gateway } = await startDashboard());
    const page = await claimAndOpen(gateway, '/reference');
    let reads = 0;
    await page.route(/docs\/feedback$|healthz$/, (route) => {
      if (route.request().url().endsWith('feedback')) reads += 1;
      return route.abort();
    });
    await page
      .getByRole('navigation', { name: 'Contents' })
      .getByRole('link', { name: 'Feedback' })
      .click();
    await page.getByText('The gateway does not answer. Trying again …').waitFor();
    // it gives up by itself
    await expect.poll(() => reads, { timeout: 15_000 }).toBeGreaterThanOrEqual(3);
    expect(await page.getByText('Failed to fetch').count()).toBe(0);
    await page.unrouteAll();
    await page.locator('#giveFeedback').waitFor();
  });

  it('says of an unknown resource that there is none, and leads to those that there are', async () => {
    ({ gateway } = await startDashboard());
    const page = await claimAndOpen(gateway, '/reference');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await page.goto(`${gateway.url}/reference/keys`);
    await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor();
    expect(await page.getByRole('main').locator('section').count()).toBe(0);
    expect(asked.filter((path) => path === '/docs/keys')).toHaveLength(1);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys', level: 2 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/reference/api-keys');
    expect(complaintsOf(page)).toEqual([]);
  });
});
