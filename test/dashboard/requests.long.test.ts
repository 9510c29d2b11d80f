import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claimAndOpen, complaintsOf, hasChromium, seriousFindings } from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';
import { post } from '../helpers/sse.js';
import type { Upstream } from '../helpers/upstream.js';

const models = {
  'up/alpha': { quality: 0.9, inputPrice: 10, outputPrice: 30, latency: 2 },
  'up/beta': { quality: 0.8, inputPrice: 1, outputPrice: 3, latency: 1 },
  'up/gamma': { quality: 0.6, inputPrice: 0.1, outputPrice: 0.3, latency: 0.3 },
};

describe.runIf(hasChromium)('the page of requests', () => {
  let gateway: RunningGateway;
  let upstream: Upstream;
  let page: Page;
  beforeAll(async () => {
    ({ gateway, upstream } = await startDashboard({
      models,
      requestLog: { content: true },
    }));
    page = await claimAndOpen(gateway, '/requests');
  });
  afterAll(closeDashboards);
  afterEach(() => expect(complaintsOf(page)).toEqual([]));

  const messages = [{ role: 'user', content: 'Why is the sky blue?' }];
  /** As the signed-in administrator. */
  const complete = (names: string[] = Object.keys(models)): Promise<number> =>
    page.evaluate(
      async (body) => {
        const account = (await (await fetch('/api/v1/auth/account')).json()) as {
          csrfToken: string;
        };
        const headers = { 'content-type': 'application/json', 'x-csrf-token': account.csrfToken };
        const reply = await fetch('/api/v1/completions', { method: 'POST', headers, body });
        return reply.status;
      },
      JSON.stringify({ messages, models: names }),
    );
  const rows = () => page.getByRole('table').getByRole('link');
  const openNewest = async (): Promise<void> => {
    await page.goto(`${gateway.url}/requests`);
    await rows().first().click();
    await page.getByRole('heading', { name: 'Candidates' }).waitFor();
  };

  it('shows a request that has just happened while it is live', async () => {
    await page.getByRole('switch', { name: 'Live' }).click();
    await page.getByText('Waiting for requests').waitFor();
    expect(page.url()).toContain('live=true');
    await complete(['up/gamma']);
    await page.getByRole('cell', { name: 'up/gamma' }).waitFor();
    await complete(['up/beta']);
    await page.getByRole('cell', { name: 'up/beta' }).waitFor();
    expect(await rows().count()).toBe(2);
    await page.getByRole('switch', { name: 'Live' }).click();
    await expect.poll(() => page.url()).not.toContain('live');
  });

  it('goes on with a filter that is typed in two goes, and empties its field with all others', async () => {
    await page.goto(`${gateway.url}/requests?range=1h&key=&provider=&account=`);
    const id = page.getByRole('textbox', { name: 'Request id' });
    await id.click();
    await page.keyboard.type('ab');
    await page.waitForURL(/id=ab$/);
    await page.keyboard.type('cd');
    await page.waitForURL(/id=abcd$/);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Costs at least').click();
    for (const typed of ['0.0', '5']) {
      await page.keyboard.type(typed);
      await page.waitForURL((url) => url.searchParams.get('minCost')?.endsWith(typed) === true);
    }
    expect(new URL(page.url()).searchParams.get('minCost')).toBe('0.05');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear' }).first().click();
    await expect.poll(() => id.inputValue()).toBe('');
  });

  it('tells what is still being typed when its field is left or goes away, and forgets it with all filters', async () => {
    await page.goto(`${gateway.url}/requests?failed=true`);
    const shown = () => Object.fromEntries(new URL(page.url()).searchParams);
    const id = page.getByRole('textbox', { name: 'Request id' });
    // longer than typing rests
    const rest = () => page.waitForTimeout(500);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Costs at least').click();
    await page.keyboard.type('0.05');
    await page.keyboard.press('Escape');
    await page.getByLabel('Costs at least').waitFor({ state: 'detached' });
    await expect.poll(shown).toEqual({ failed: 'true', minCost: '0.05' });
    await id.click();
    await page.keyboard.type('ab');
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await rest();
    expect([shown(), await id.inputValue()]).toEqual([{}, '']);
    await id.click();
    await page.keyboard.type('ab');
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await rest();
    expect(page.url()).toBe(`${gateway.url}/models`);
    await page.goBack();
    await expect.poll(() => id.inputValue()).toBe('ab');
    await id.press('c');
    await page.goBack();
    await rest();
    expect([shown(), await id.inputValue()]).toEqual([{}, '']);
  });

  it('shows the requests of a time range that is dragged out in the histogram', async () => {
    await page.goto(`${gateway.url}/requests?range=1h`);
    await rows().first().waitFor();
    const drag = async (from: number, to: number): Promise<void> => {
      const box = await page.locator('.u-over').boundingBox();
      if (!box) throw new Error('there is no histogram');
      const { x, y, width, height } = box;
      await page.mouse.move(x + from * width, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + to * width, y + height / 2, { steps: 8 });
      await page.mouse.up();
      await page.getByRole('button', { name: 'Show all' }).waitFor();
    };
    await drag(0.1, 0.4);
    await page.getByText('No requests in this time range').waitFor();
    const { searchParams } = new URL(page.url());
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    expect(to! - from!).toBeGreaterThan(10 * 60_000);
    expect(to! - from!).toBeLessThan(30 * 60_000);
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => rows().count()).toBe(2);
    await drag(0.5, 0.999);
    await expect.poll(() => rows().count()).toBe(2);
    await page.getByRole('button', { name: 'Show all' }).click();
    const chart = page.getByRole('img', { name: /Requests over time/ });
    await chart.press('ArrowLeft');
    for (let times = 0; times < 5; times++) await chart.press('Shift+ArrowLeft');
    await chart.press('Enter');
    await page.getByRole('button', { name: 'Show all' }).waitFor();
    await expect.poll(() => rows().count()).toBe(2);
    await page.goBack();
    await expect.poll(() => page.url()).not.toContain('from=');
  });

  it('weighs the candidates of one request again, and says who would win', async () => {
    expect(await complete()).toBe(200);
    await openNewest();
    const slider = (name: string) => page.getByRole('slider', { name });
    await slider('Quality').press('Home');
    await slider('Latency').press('Home');
    await slider('Cost').press('End');
    await page.getByText(/^up\/gamma (would win instead of|still wins)/).waitFor();
    await slider('Cost').press('Home');
    await slider('Quality').press('End');
    await page.getByText(/^up\/alpha (would win instead of|still wins)/).waitFor();
    await page
      .locator('.scatter')
      .getByText(/alpha \(.*would win/)
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('shows what was said, who asked, and repeats it in the playground beside another model', async () => {
    expect(await complete(['up/alpha'])).toBe(200);
    await openNewest();
    await page.getByRole('heading', { name: 'Answered · up/alpha' }).waitFor();
    const said = page.getByRole('region', { name: 'Messages and answer' });
    await said.getByRole('group', { name: 'You' }).getByText('Why is the sky blue?').waitFor();
    expect(await said.innerText()).not.toContain('price unknown');
    await said.getByText(/\d+ → \d+ tokens/).waitFor();
    await said.getByRole('tab', { name: 'JSON' }).click();
    await said.getByText('"messages"').waitFor();
    await page.getByRole('main').getByText('ann@example.org').waitFor();
    await page.getByRole('main').getByText('Native completions').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Open in the playground' }).click();
    await page.getByRole('group', { name: 'You' }).getByText('Why is the sky blue?').waitFor();
    await page.getByRole('article').nth(1).getByText('Not answered yet').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
    await page.getByRole('button', { name: 'Try again' }).last().click();
    await expect
      .poll(async () => (await page.getByRole('article').nth(1).innerText()).includes('up/'))
      .toBe(true);
  });

  it.each([
    ['Failed: provider refused the request · up/alpha', '422', { status: 400 }],
    [
      '200, cut: connection to the provider failed · up/alpha',
      '200, cut',
      { reset: 'afterContent' },
    ],
  ] as const)('says in its heading how a request ended: %s', async (heading, status, step) => {
    upstream.script([step]);
    const body = { messages, models: ['up/alpha'], stream: 'reset' in step };
    await post(`${gateway.url}/api/v1/completions`, body, gateway.auth);
    upstream.script([]);
    await openNewest();
    await page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor();
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText(status, { exact: true }).waitFor();
  });

  it('puts a request into the evaluation set', async () => {
    expect(await complete()).toBe(200);
    await openNewest();
    await page.getByRole('button', { name: 'Add to evaluation set' }).click();
    await page.getByRole('link', { name: 'See the set' }).click();
    await page.getByRole('cell', { name: /Why is the sky blue/ }).waitFor();
  });

  it('offers only to read a request of another account', async () => {
    const models = ['up/alpha', 'up/gamma'];
    await post(`${gateway.url}/api/v1/completions`, { messages, models }, gateway.auth);
    await openNewest();
    await page.getByText(/another account/).waitFor();
    expect(await page.getByRole('slider').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add to evaluation set' }).count()).toBe(0);
  });
});
