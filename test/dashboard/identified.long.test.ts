import express from 'express';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, type HostCaller } from '../../src/index.js';
import { buildOnce } from '../helpers/build.js';
import {
  closeChromium,
  complaintsOf,
  hasChromium,
  openPage,
  seriousFindings,
} from '../helpers/chromium.js';
import { type RunningHost, startHost } from '../helpers/host.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const pages = [
  '',
  'playground',
  'conversations',
  'requests',
  'models',
  'preferences',
  'preferences/new',
  'preferences/evaluations',
  'keys',
  'connect',
  'settings',
  'settings/audit',
];

/** The users of the host: one who may do everything, one who may only ask, one unknown. */
const users: Record<string, HostCaller | null> = {
  alice: { account: 'alice', name: 'Alice', scopes: ['completions', 'model-select', 'admin'] },
  // what users have unless the host says more
  bob: { account: 'bob', name: 'Bob' },
  stranger: null,
};

describe.runIf(hasChromium)("the dashboard in a host app, for the host's own users", () => {
  let upstream: Upstream;
  let gateway: Gateway;
  let host: RunningHost;
  let page: Page;
  let user = 'alice';
  beforeAll(async () => {
    await buildOnce();
    upstream = await startUpstream();
    gateway = createGateway(
      {
        dashboard: true,
        providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
        models: { 'up/good': { inputPrice: 1, outputPrice: 10 } },
      },
      { env: {}, identify: () => users[user] ?? null },
    );
    host = await startHost(express().use('/ai', gateway.router));
    page = await openPage(`${host.url}/ai/`);
  });
  afterAll(async () => {
    await closeChromium();
    await host.close();
    await Promise.all([gateway.close(), upstream.close()]);
  });
  afterEach(() => expect(complaintsOf(page)).toEqual([]));

  const open = async (who: string, path: string): Promise<string> => {
    user = who;
    await page.goto(`${host.url}/ai/${path}`, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page.getByRole('main').innerText();
  };

  it('shows who the host has signed in, without a way to sign out', async () => {
    await open('alice', '');
    await page.getByRole('banner').getByRole('button', { name: 'Alice', exact: true }).click();
    await page.getByRole('banner').getByRole('link', { name: 'Settings' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
  });

  it('answers in the playground, and shows the request and the conversation', async () => {
    await open('bob', 'playground');
    await page.getByLabel('Your message').fill('Why is the sky blue?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'A good answer' }).waitFor();
    await open('bob', 'conversations');
    await page.getByRole('link', { name: 'Why is the sky blue?' }).waitFor();
    await open('alice', 'conversations');
    expect(await page.getByRole('main').innerText()).not.toContain('Why is the sky blue?');
  });

  it('makes keys', async () => {
    await open('alice', 'keys');
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('Copy the key now').waitFor();
  });

  it.each(['alice', 'bob'])('shows every page to %s without a failure', async (who) => {
    for (const path of pages) {
      const shown = await open(who, path);
      expect(await page.getByRole('alert').count(), `${path}: ${shown}`).toBe(0);
      expect(await seriousFindings(page), path).toEqual([]);
    }
  });

  it('leaves out what a user may not do, and says what it needs', async () => {
    await open('bob', '');
    await page.waitForURL(/\/ai\/playground$/);
    const links = await page.getByRole('navigation').getByRole('link').allTextContents();
    expect(links).toEqual([
      'Playground',
      'Conversations',
      'Models',
      'Preferences',
      'Connect',
      'Settings',
      'API reference',
    ]);
    for (const path of ['requests', 'keys', 'preferences/evaluations'])
      expect(await open('bob', path), path).toContain('It needs the scope “admin”');
    await open('bob', 'connect');
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
    await open('bob', 'conversations');
    await page.getByRole('link', { name: 'Why is the sky blue?' }).click();
    await page.getByRole('article').getByText('up/good').waitFor();
  });

  it.each([
    ['alice', 1],
    ['bob', 0],
  ])(
    'offers %s no password in the settings, but the data if that is allowed',
    async (who, data) => {
      const shown = await open(who, 'settings');
      expect(shown).toContain('The app in which the gateway is mounted signs you in.');
      expect(await page.getByLabel(/password/i).count()).toBe(0);
      expect(await page.getByRole('button', { name: /delete|sign out/i }).count()).toBe(0);
      const link = page.getByRole('link', { name: 'Download' });
      expect(await link.count()).toBe(data);
      if (data === 0) return;
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
      expect(await download.failure()).toBeNull();
    },
  );

  it('tells those whom the host does not know to sign in there', async () => {
    user = 'stranger';
    await page.goto(`${host.url}/ai/`, { waitUntil: 'networkidle' });
    await page.getByText('sign in to that app').waitFor();
  });
});
