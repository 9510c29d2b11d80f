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

  it.each(['light', 'dark'] as const)('has no serious finding of axe (%s)', async (theme) => {
    ({ gateway } = await startDashboard());
    for (const path of ['/', '/claim', '/sign-up', '/forgot-password']) {
      const page = await openPage(gateway.url + path, { theme });
      await page.getByRole('heading').first().waitFor();
      expect(await seriousFindings(page), path).toEqual([]);
    }
  });
});
