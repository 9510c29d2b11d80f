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
    const page = await openPage(`${gateway.url}/docs`, { theme });
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
    const stranger = await openPage(`${gateway.url}/docs`);
    const page = await claimAndOpen(gateway, '/docs');
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
    const section = page.locator('#deleteConversation');
    await section.getByText('Try it').click();
    await section.getByLabel('id', { exact: true }).fill('no/such');
    await section.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => section.getByRole('status').innerText()).toMatch(/^404 /);
  });
});
