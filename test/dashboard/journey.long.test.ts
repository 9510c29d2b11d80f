import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  closeChromium,
  complaintsOf,
  hasChromium,
  openPage,
  signInAndOpen,
} from '../helpers/chromium.js';
import { endProcesses, type GatewayProcess, startProcess } from '../helpers/process.js';
import { post } from '../helpers/sse.js';

const ann = { email: 'ann@example.org', password: 'correct horse battery' };
const bob = { email: 'bob@example.org', password: 'another horse battery' };
const openSignUp = 'auth:\n  signUp: open\n';

describe.runIf(hasChromium)('a person at the dashboard of a new gateway', () => {
  let gateway: GatewayProcess;
  beforeEach(async () => {
    gateway = await startProcess({ config: openSignUp });
  });
  afterEach(endProcesses);
  afterAll(closeChromium);

  /** Claims the gateway on the page that its address shows. */
  async function claim(page: Page): Promise<void> {
    await page.getByLabel('First API key').fill(gateway.key);
    await page.getByLabel('Mail address').fill(ann.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(ann.password);
    await page.getByRole('button', { name: 'Become the administrator' }).click();
    await page.getByRole('navigation').waitFor();
  }

  /** Asks in the playground; resolves with the page's text when the answer is whole. */
  async function askPlayground(page: Page, prompt: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Your message' }).fill(prompt);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'A good answer' }).first().waitFor();
  }

  it('comes from the claim to a streamed answer in at most twelve clicks', async () => {
    const page = await openPage(gateway.url);
    let clicks = 0;
    await page.exposeFunction('countClick', () => (clicks += 1));
    await page.addInitScript(
      `addEventListener('click', (event) => event.isTrusted && countClick(), true)`,
    );
    await page.reload();
    await claim(page);
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await askPlayground(page, 'Why is the sky blue?');
    expect(clicks).toBeGreaterThan(1);
    expect(clicks).toBeLessThanOrEqual(12);
    expect(complaintsOf(page)).toEqual([]);
  });

  it('sees nothing of another account, on no page', async () => {
    const page = await openPage(gateway.url);
    await claim(page);
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await askPlayground(page, 'A secret of Ann');
    await page.getByRole('link', { name: 'Conversations', exact: true }).click();
    await page.getByText('A secret of Ann').first().waitFor();
    await page.getByText('A secret of Ann').first().click();
    await page.waitForURL(/conversations\/.+/);
    const conversation = new URL(page.url()).pathname;

    const signedUp = await post(`${gateway.url}/api/v1/auth/sign-up`, bob);
    expect(signedUp.status).toBe(202);
    const other = await signInAndOpen(gateway, '/', bob);
    for (const path of [
      '/',
      '/conversations',
      conversation,
      '/requests',
      '/keys',
      '/preferences',
      '/models',
      '/settings',
    ]) {
      await other.goto(gateway.url + path, { waitUntil: 'networkidle' });
      const shown = await other.locator('body').innerText();
      expect(shown, path).not.toContain('secret of Ann');
      expect(shown, path).not.toContain(ann.email);
      expect(shown.length, path).toBeGreaterThan(80);
    }
  });
});
