import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  claimAndOpen,
  complaintsOf,
  hasChromium,
  openPage,
  seriousFindings,
  signInAndOpen,
} from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';

/** The form to sign in is then opened while the answers to the page before it still arrive. */
const slowDown = (page: Page, path: string, ms: number): Promise<unknown> =>
  page.route(path, async (route) => {
    await wait(ms);
    await route.continue();
  });

describe.runIf(hasChromium)('the entrance of the dashboard', () => {
  let gateway: RunningGateway;
  afterEach(closeDashboards);

  it('lets the first administrator claim the gateway, sign out and sign in again', async () => {
    ({ gateway } = await startDashboard());
    const page = await claimAndOpen(gateway);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await slowDown(page, '**/api/v1/usage/series*', 1_500);
    await slowDown(page, '**/api/v1/auth/status', 1_000);
    await page.getByRole('button', { name: 'ann@example.org' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Signalbox' }).waitFor();
    expect(complaintsOf(page)).toEqual([]);
    const again = await signInAndOpen(gateway, '/keys');
    await again.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(complaintsOf(again)).toEqual([]);
  });

  it('shows nobody what another account was about to ask in the same tab', async () => {
    ({ gateway } = await startDashboard());
    const bob = { email: 'bob@example.org', password: 'correct horse battery' };
    const page = await claimAndOpen(gateway, '/playground');
    await page.getByLabel('Your message').fill('my secret plan');
    await page.reload();
    await page.getByText('my secret plan').waitFor();
    // as in another tab of the browser, which has the same cookie
    await page.evaluate(async (body) => {
      for (const path of ['sign-up', 'sign-in'])
        await fetch(`/api/v1/auth/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
    }, JSON.stringify(bob));
    await page.reload();
    await page.getByRole('button', { name: bob.email }).waitFor();
    expect(await page.getByLabel('Your message').inputValue()).toBe('');
  });

  it.each(['light', 'dark'] as const)('has no serious finding of axe (%s)', async (theme) => {
    ({ gateway } = await startDashboard());
    for (const path of ['/', '/claim', '/sign-up', '/forgot-password']) {
      const page = await openPage(gateway.url + path, { theme });
      await page.getByRole('heading').first().waitFor();
      expect(await seriousFindings(page), path).toEqual([]);
    }
  });
});
