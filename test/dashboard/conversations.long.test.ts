import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  claimAndOpen,
  complaintsOf,
  hasChromium,
  type OpenOptions,
  seriousFindings,
  signInAndOpen,
} from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';

describe.runIf(hasChromium)('the page of conversations', () => {
  let gateway: RunningGateway;
  let page: Page;
  beforeAll(async () => {
    ({ gateway } = await startDashboard({
      models: { 'up/good': { inputPrice: 1, outputPrice: 10 } },
    }));
    page = await claimAndOpen(gateway, '/conversations');
  });
  afterAll(closeDashboards);

  const talk = async (question: string): Promise<void> => {
    await page.goto(`${gateway.url}/playground`);
    await page.getByLabel('Your message').fill(question);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'A good answer' }).waitFor();
  };
  const open = async (title: string): Promise<void> => {
    await page.goto(`${gateway.url}/conversations`);
    await page.getByRole('link', { name: title }).click();
    await page.getByRole('heading', { name: title }).waitFor();
  };

  it('says what to do while there is none', async () => {
    await page.getByText('No conversations yet').waitFor();
    await page.getByRole('link', { name: 'Open the playground' }).click();
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
  });

  it('finds conversations by their titles, shows them, and goes on with them', async () => {
    await talk('Why is the sky blue?');
    await talk('How do trains switch tracks?');
    await page.goto(`${gateway.url}/conversations`);
    await page.getByLabel('Search the titles').fill('TRAINS');
    await expect.poll(() => page.getByRole('link', { name: /sky|trains/ }).count()).toBe(1);
    expect(page.url()).toContain('search=TRAINS');
    await page.getByRole('link', { name: 'How do trains switch tracks?' }).click();
    await page.getByRole('article').getByText('up/good').waitFor();
    await page.getByText(/tokens/).waitFor();
    await page.getByText(/first token/).waitFor();
    await page.getByRole('button', { name: 'Why this model?' }).click();
    const drawer = page.getByRole('dialog', { name: 'Why this model' });
    await drawer.getByRole('row', { name: /up\/good answered/ }).waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByLabel('Your message').fill('And why?');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    await page.getByRole('button', { name: 'A good answer' }).nth(1).waitFor();
    await open('How do trains switch tracks?');
    await page.getByText('4 messages').waitFor();
  });

  it('renames, exports and, after a question, deletes a conversation', async () => {
    await open('Why is the sky blue?');
    const choose = async (title: string, name: string): Promise<void> => {
      await page.getByRole('button', { name: `Actions for ${title}` }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Why is the sky blue?', 'Rename');
    await page.getByLabel('Title').fill('About the sky');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'About the sky' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      choose('About the sky', 'Export as Markdown'),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain('# About the sky');
    await choose('About the sky', 'Delete');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/cannot be undone/).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Conversations' }).waitFor();
    await page.getByRole('link', { name: /trains/ }).waitFor();
    await page.getByRole('link', { name: 'About the sky' }).waitFor({ state: 'detached' });
  });

  it('a conversation that is not there says so', async () => {
    await page.goto(`${gateway.url}/conversations/4b0ee4ea-6a0f-4d3e-9a2c-111111111111`);
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'dark', width: 390 }] as OpenOptions[])(
    'has no serious finding of axe (%j)',
    async (options) => {
      const other = await signInAndOpen(gateway, '/conversations', undefined, options);
      await other.getByRole('link', { name: /trains/ }).waitFor();
      expect(await seriousFindings(other)).toEqual([]);
      await other.getByRole('link', { name: /trains/ }).click();
      await other.getByRole('article').first().waitFor();
      expect(await seriousFindings(other)).toEqual([]);
      await other.context().close();
    },
  );
});
