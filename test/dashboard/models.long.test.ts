import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Provider, waitForUpdate } from '@pydantic/genai-prices';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  claimAndOpen,
  complaintsOf,
  hasChromium,
  seriousFindings,
  signInAndOpen,
} from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';
import type { Upstream } from '../helpers/upstream.js';

const bundled = (await waitForUpdate()) ?? [];
/** The price data of the package, with a price of gpt-4o times 20. */
function newer(): Provider[] {
  const data = structuredClone(bundled);
  const model = data.find(({ id }) => id === 'openai')?.models.find(({ id }) => id === 'gpt-4o');
  if (!model || Array.isArray(model.prices)) throw new Error('gpt-4o has no price');
  model.prices['input_mtok'] = Number(model.prices['input_mtok']) * 20;
  return data;
}

describe.runIf(hasChromium)('the page of models and providers', () => {
  let gateway: RunningGateway;
  let upstream: Upstream;
  let prices: Server;
  beforeAll(async () => {
    prices = createServer((_req, res) => res.end(JSON.stringify(newer())));
    await new Promise<void>((resolve) => prices.listen(0, '127.0.0.1', resolve));
    const { port } = prices.address() as AddressInfo;
    ({ gateway, upstream } = await startDashboard({
      prices: { url: `http://127.0.0.1:${port}/data.json` },
      models: {
        'up/gpt-4o': { inputPrice: 2.5, outputPrice: 10, contextLength: 128_000 },
        'up/cheap': { inputPrice: 0.1, outputPrice: 0.2, quality: 0.4 },
        'up/never-heard-of': { inputPrice: 9, outputPrice: 9 },
      },
      aliases: { smart: ['up/gpt-4o'] },
    }));
  });
  afterAll(async () => {
    await closeDashboards();
    prices.close();
  });

  it('shows prices, abilities with what they rest on, and tests a provider', async () => {
    const page = await claimAndOpen(gateway, '/models');
    const row = page.getByRole('row', { name: /gpt-4o/ });
    await row.getByText('$2.50 in · $10.00 out').waitFor();
    await row.getByText('alias smart').waitFor();
    await row.getByText('measured').waitFor();
    await page.getByRole('button', { name: 'Details: up/gpt-4o' }).click();
    await page.getByText('coding').waitFor();
    await page.getByRole('button', { name: 'Ask now: up, with a tiny request' }).click();
    await page.getByText(/up\/cheap answered in/).waitFor();
    await page
      .getByRole('row', { name: /openai-compatible/ })
      .getByText('working')
      .waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it('shows a model that the provider does not have as the error of the model', async () => {
    const page = await signInAndOpen(gateway, '/models');
    upstream.script([{ status: 404 }]);
    await page.getByRole('button', { name: 'Ask now: up, with a tiny request' }).click();
    await page.getByText('answered 404 for the model cheap').waitFor();
    const provider = page.getByRole('row', { name: /openai-compatible/ });
    await provider.getByText('working').waitFor();
  });

  it('finds a model by its name, and says what to do where none matches', async () => {
    const page = await signInAndOpen(gateway, '/models');
    await page.getByRole('searchbox').fill('never');
    await page
      .getByRole('row', { name: /never-heard-of/ })
      .getByText('guess')
      .waitFor();
    await page.getByRole('searchbox').fill('no such model');
    await page.getByText('No model matches').waitFor();
  });

  it('keeps what it shows in its address, and goes back with the browser', async () => {
    const page = await signInAndOpen(gateway, '/models');
    const [search, table] = [page.getByRole('searchbox'), page.getByRole('table').last()];
    await search.pressSequentially('never heard');
    await page.waitForURL(/search=never/);
    await search.press('Backspace');
    await page.waitForURL(/search=never\+hear$/);
    await search.fill('gpt');
    await page.waitForURL(/search=gpt$/);
    await page.getByRole('combobox', { name: 'Order' }).click();
    await page.getByRole('option', { name: 'Cheapest first' }).click();
    await page.waitForURL(/search=gpt&sort=\w+$/);
    await page.reload();
    await table.getByText('gpt-4o').first().waitFor();
    expect([await search.inputValue(), await table.getByRole('row').count()]).toEqual(['gpt', 2]);
    await page.goBack();
    await page.waitForURL(/search=gpt$/);
    await page.goBack();
    await expect.poll(() => search.inputValue()).toBe('never hear');
  });

  it('says why a model is set aside, in the words of its provider, until it answers', async () => {
    const page = await signInAndOpen(gateway, '/models');
    const row = page.getByRole('row', { name: /openai-compatible/ });
    const ask = page.getByRole('button', { name: 'Ask now: up, with a tiny request' });
    const fails = { status: 503, body: { error: { message: 'over capacity' } } };
    upstream.script(Array.from({ length: 5 }, () => fails));
    for (let times = 0; times < 5; times++) {
      await ask.click();
      await expect.poll(() => ask.getAttribute('data-loading')).toBeNull();
      await page
        .getByText(/over capacity/)
        .first()
        .waitFor();
    }
    await page.reload();
    await row.getByText(/cheap: set aside until \d\d:\d\d:\d\d, after 5 failures/).waitFor();
    await row.getByText(/provider overloaded: .*over capacity/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    upstream.script([]);
    await ask.click();
    await page.getByText(/up\/cheap answered in/).waitFor();
    await expect.poll(() => row.getByText(/set aside/).count(), { timeout: 15_000 }).toBe(0);
  });

  it('shows what newer prices change before they are put in force, and takes them back', async () => {
    const page = await signInAndOpen(gateway, '/models');
    await page.getByText('The prices are those that came with the gateway.').waitFor();
    await page.getByRole('button', { name: 'Look for newer prices' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 prices change, 1 of them by more than ten times').waitFor();
    await dialog.getByText(/openai\/gpt-4o input_mtok: \$[\d.]+ → \$[\d.]+/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const apply = dialog.getByRole('button', { name: 'Put in force' });
    expect(await apply.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox').check();
    await apply.click();
    await page.getByText(/The prices are from http:.*, since /).waitFor();
    await page.getByRole('button', { name: 'Put the earlier prices back' }).click();
    await dialog.getByRole('button', { name: 'Put the earlier prices back' }).click();
    await page.getByText('The prices are those that came with the gateway.').waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has no serious finding of axe (%s)', async (theme) => {
    for (const width of [1280, 390]) {
      const page = await signInAndOpen(gateway, '/models', undefined, { theme, width });
      await page.getByRole('button', { name: 'Details: up/gpt-4o' }).click();
      await page.getByText('coding').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    }
  });
});
