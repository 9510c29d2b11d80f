import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  claimAndOpen,
  complaintsOf,
  hasChromium,
  seriousFindings,
  signInAndOpen,
} from '../helpers/chromium.js';
import { evaluationsCsv } from '../helpers/evaluations-csv.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';

const models = {
  'up/alpha': { quality: 0.9, inputPrice: 10, outputPrice: 30, latency: 2 },
  'up/beta': { quality: 0.8, inputPrice: 1, outputPrice: 3, latency: 1 },
  'up/gamma': { quality: 0.6, inputPrice: 0.1, outputPrice: 0.3, latency: 0.3 },
};

describe.runIf(hasChromium)('the page of preferences', { timeout: 180_000 }, () => {
  let gateway: RunningGateway;
  let page: Page;
  beforeAll(async () => {
    ({ gateway } = await startDashboard({
      models,
      requestLog: { content: true },
    }));
    page = await claimAndOpen(gateway, '/preferences');
  }, 240_000);
  afterAll(closeDashboards);

  /** What the signed-in page gets from the API. */
  const asked = (path: string, body?: object): Promise<unknown> =>
    page.evaluate(
      async ([url, sent]) => {
        const account = (await (await fetch('/api/v1/auth/account')).json()) as {
          csrfToken: string;
        };
        const reply = await fetch(url, {
          method: sent === null ? 'GET' : 'POST',
          headers: { 'content-type': 'application/json', 'x-csrf-token': account.csrfToken },
          ...(sent === null ? {} : { body: sent }),
        });
        return await reply.json();
      },
      [path, body === undefined ? null : JSON.stringify(body)] as const,
    );
  const chosen = async (preference_id: string): Promise<string> =>
    textAt(
      await asked('/api/v1/model-select', {
        llm_providers: Object.keys(models).map((name) => ({ name })),
        messages: [{ role: 'user', content: 'Hello' }],
        preference_id,
      }),
      'llm_label',
    );

  it('shows at once what the sliders change, and a stored preference changes a choice', async () => {
    const refused: string[] = [];
    page.on('response', (reply) => {
      if (!reply.ok()) refused.push(reply.url());
    });
    await page.getByRole('link', { name: 'New preference' }).first().click();
    await page.getByLabel('Name').fill('cheap answers');
    await page.getByRole('radio', { name: 'Own weights' }).check();
    const wins = page.getByRole('region', { name: 'Effect' });
    await wins.getByRole('cell', { name: 'up/' }).first().waitFor();
    // by the keyboard alone: cost to the end, quality to nothing
    await page.getByRole('slider', { name: 'Quality' }).press('Home');
    await page.getByRole('slider', { name: 'Cost' }).press('End');
    await wins.getByText('instead of up/alpha').first().waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'cheap answers', level: 1 }).waitFor();
    const id = page.url().split('/').at(-1)!;
    expect(await chosen(id)).toBe('up/gamma');
    await page.getByRole('radio', { name: 'Best quality' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    // Save is off while it saves too
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
    expect(await chosen(id)).toBe('up/alpha');
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    expect([...refused, ...complaintsOf(page)]).toEqual([]);
  });

  it('says nothing of a gateway that does not answer while a preview is asked for anew', async () => {
    let held = 0;
    await page.route(/preview$/, async (route) => {
      held += 1;
      await new Promise((resolve) => setTimeout(resolve, 400));
      await route.continue().catch(() => undefined);
    });
    const banners = await page.evaluateHandle<string[]>(`(() => {
      const seen = [];
      const note = () =>
        document.querySelectorAll('[role=status]').forEach(({ textContent }) => {
          if (textContent.includes('does not answer')) seen.push(textContent);
        });
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
      return seen;
    })()`);
    for (const aim of [
      'Cheapest of nearly the best',
      'Fastest of nearly the best',
      'Best quality',
    ]) {
      const before = held;
      await page.getByRole('radio', { name: aim }).check();
      if (aim !== 'Best quality') await expect.poll(() => held).toBeGreaterThan(before);
    }
    await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
    expect(await banners.jsonValue()).toEqual([]);
    await page.unrouteAll();
  });

  it('is trained from a file whose columns are mapped, and shows the result as a plot', async () => {
    const names = ['alpha score', 'beta score', 'gamma score'];
    const csv = evaluationsCsv(120, { names }).replace('prompt,', 'question,');
    await page.getByRole('region', { name: 'Train on your own evaluations' }).waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'scores.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    const model = page.getByRole('combobox', { name: 'Model of alpha score' });
    expect(await model.inputValue()).toBe('up/alpha');
    expect(await page.getByLabel('Meaning of question').inputValue()).toBe('prompt');
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.getByRole('img', { name: /trained router reaches/ }).waitFor({ timeout: 120_000 });
    await page.getByText('120 rows').waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it('says which line and column of a file is wrong', async () => {
    const csv = evaluationsCsv(60).replace(/,(\d),(\d),(\d)\n/, ',good,$2,$3\n');
    const file = { name: 'wrong.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByLabel('Meaning of up/alpha').selectOption('score');
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.getByText(/line \d+: column "up\/alpha": "good" is not a number/).waitFor();
  });

  it('keeps a chosen file while the gateway is away or the sign-in has ended, and says so', async () => {
    const start = page.getByRole('button', { name: 'Start training' });
    await page.route(/training$|healthz$/, (route) => route.abort());
    await start.click();
    await page.getByText('The gateway does not answer. Trying again …').waitFor();
    expect(await page.getByText('Failed to fetch').count()).toBe(0);
    await page.unrouteAll();
    await page.context().clearCookies();
    await start.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your sign-in has ended').waitFor();
    await dialog.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await start.click();
    await page.getByText(/"good" is not a number/).waitFor();
  });

  it('collects an evaluation set, whose scores are edited', async () => {
    await page.goto(`${gateway.url}/preferences/evaluations`);
    await page.getByText('The evaluation set is empty').waitFor();
    await page.getByRole('button', { name: 'Add a prompt' }).click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('Why is the sky blue?');
    await page.getByRole('combobox', { name: 'Model' }).fill('up/alpha');
    await page.getByRole('button', { name: 'Add a model' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'up/alpha: 1' }).waitFor();
    expect(at(await asked('/api/v1/evaluations'), 'items', 0, 'scores')).toEqual({ 'up/alpha': 1 });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The evaluation set is empty').waitFor();
  });

  it.each(['light', 'dark'] as const)('has no serious finding of axe (%s)', async (theme) => {
    const list = await asked('/api/v1/preferences');
    const id = textAt(list, 'items', 0, 'id');
    for (const path of ['', '/new', `/${id}`, '/evaluations']) {
      const open = await signInAndOpen(gateway, `/preferences${path}`, undefined, { theme });
      await open.getByRole('heading', { level: 1 }).waitFor();
      if (path !== '' && path !== '/evaluations')
        await open.getByRole('cell', { name: 'up/' }).first().waitFor();
      expect(await seriousFindings(open), path).toEqual([]);
      expect(complaintsOf(open), path).toEqual([]);
      await open.close();
    }
  });
});
