import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimAndOpen, complaintsOf, hasChromium, seriousFindings } from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';
import { post } from '../helpers/sse.js';
import type { Upstream } from '../helpers/upstream.js';

describe.runIf(hasChromium)('the overview and the requests in a browser', () => {
  let upstream: Upstream;
  let gateway: RunningGateway;
  beforeEach(async () => {
    ({ gateway, upstream } = await startDashboard({
      providers: { up: { api: 'openai-compatible', apiKey: 'sk-up' } },
      models: {
        'up/large': { inputPrice: 5, outputPrice: 20, cachedInputPrice: 0.5 },
        'up/small': { inputPrice: 0.5, outputPrice: 2 },
      },
      auth: { keys: [{ name: 'app', key: 'sk_app' }] },
    }));
  });
  afterEach(closeDashboards);

  const complete = (models: string[]) =>
    post(
      `${gateway.url}/api/v1/completions`,
      { messages: [{ role: 'user', content: 'Why is the sky blue?' }], models },
      { authorization: 'Bearer sk_app' },
    );

  it('say what to do first, then what requests cost and how fast they were', async () => {
    const page = await claimAndOpen(gateway);
    await page.getByText('No requests yet').waitFor();
    await page.getByRole('link', { name: 'Connect a client' }).waitFor();
    for (const model of ['up/large', 'up/small', 'up/small']) await complete([model]);
    const small = page.getByTitle('up/small').getByRole('link', { name: 'small', exact: true });
    await small.first().waitFor({ timeout: 60_000 });
    await page.getByRole('heading', { name: 'Time to first token' }).waitFor();
    await page.getByText('First token, p50', { exact: true }).waitFor();
    for (const [legend, filters] of [
      ['Completion', 'sort=tokens'],
      ['p95', 'sort=latency&failed=false'],
    ] as const)
      expect(
        await page.getByRole('link', { name: legend, exact: true }).first().getAttribute('href'),
      ).toMatch(`&${filters}`);
    await page.getByText('3', { exact: true }).first().waitFor();
    upstream.script([{ usage: { prompt: 100_000, completion: 5, cached: 100_000 } }]);
    await complete(['up/large']);
    await page.reload();
    await page.getByText('Prompt caches saved $0.45.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaintsOf(page)).toEqual([]);
  });

  it("explain a failed request in the provider's words, attempt by attempt", async () => {
    upstream.script([{ status: 503 }, { status: 404 }, {}]);
    await complete(['up/large', 'up/small']);
    upstream.script([{ status: 404 }]);
    await complete(['up/large']);
    const page = await claimAndOpen(gateway, '/requests?failed=true');
    await page.getByText('422 · unknown model').waitFor();
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByText('up answered 404: scripted 404').first().waitFor();
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${gateway.url}/requests?failed=false`);
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByText('up/small, attempt 1').waitFor();
    await page.getByText('up/large, attempt 2').waitFor();
    await complete(['nowhere/large']);
    await page.goto(`${gateway.url}/requests?failedBy=refused`);
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page
      .getByRole('alert')
      .getByText(/^models/)
      .waitFor();
    expect(await page.getByText(/^Field: /).count()).toBe(0);
    expect(complaintsOf(page)).toEqual([]);
  });

  it('keep filters in the address, and have no serious finding of axe in the dark', async () => {
    await complete(['up/small']);
    const page = await claimAndOpen(gateway, '/requests', { theme: 'dark' });
    await page.getByRole('cell', { name: 'up/small' }).waitFor();
    const models = page.getByRole('combobox', { name: 'Models' });
    await models.fill('up/large');
    await models.press('Enter');
    await page.getByText('No request matches').waitFor();
    expect(page.url()).toContain('model=up%2Flarge');
    await models.fill('up/small');
    await models.press('Enter');
    await page.getByRole('cell', { name: 'up/small' }).waitFor();
    expect(page.url()).toContain('model=up%2Flarge%2Cup%2Fsmall');
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${gateway.url}/requests?model=up/large`);
    await page.getByText('No request matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByRole('cell', { name: 'up/small' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(gateway.url);
    await page.getByRole('heading', { name: 'Savings' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
