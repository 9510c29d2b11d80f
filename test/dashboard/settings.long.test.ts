import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goodPassword, signedUp } from '../helpers/browser.js';
import {
  claimAndOpen,
  complaintsOf,
  hasChromium,
  seriousFindings,
  signInAndOpen,
} from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';

describe.runIf(hasChromium)('the settings', () => {
  let gateway: RunningGateway;
  let webhook: Server;
  const signatures: unknown[] = [];
  beforeAll(async () => {
    webhook = createServer((req, res) => {
      signatures.push(req.headers['webhook-signature']);
      req.resume().on('end', () => res.end());
    }).listen(0, '127.0.0.1');
    await once(webhook, 'listening');
    const { port } = webhook.address() as AddressInfo;
    ({ gateway } = await startDashboard({
      providers: { up: { api: 'openai', apiKey: 'provider-secret' } },
      alerts: { webhook: { url: `http://127.0.0.1:${port}/`, secret: 'a-secret-of-the-webhook' } },
    }));
    await signedUp(gateway.url, 'bob@example.org');
  });
  afterAll(async () => {
    await closeDashboards();
    webhook.close();
  });

  it('let an administrator invite, limit and disable accounts, and show it in the audit log', async () => {
    const page = await claimAndOpen(gateway, '/settings/accounts');
    await page.getByLabel('Mail address of the new account').fill('eve@example.org');
    await page.route('**/api/v1/accounts', async (route) => {
      await page.getByLabel('Mail address of the new account').fill('next@example.org');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('Send this link to eve@example.org').waitFor();
    expect(await page.getByLabel('Mail address of the new account').inputValue()).toBe(
      'next@example.org',
    );
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText(/reset-password#token=/).waitFor();
    const bob = page.getByRole('row', { name: /bob@example.org/ });
    const choose = async (name: string): Promise<void> => {
      await bob.getByRole('button', { name: 'Actions for' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Limits');
    await page.getByLabel('USD a day').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await bob.getByText('$5.00 a day').waitFor();
    await choose('Disable');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await bob.getByText(/^disabled/).waitFor();
    await page.goto(`${gateway.url}/settings/audit`);
    await page.getByRole('row', { name: /account.create/ }).waitFor();
    await page
      .getByRole('row', { name: /account.sign-in.*ann@example.org.*ann@example.org/ })
      .first()
      .waitFor();
    await page.getByText('Own account', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Act' }).fill('created');
    await page.getByRole('option', { name: 'Account created' }).click();
    await page.getByLabel('From').fill('2026-01-31');
    await page.waitForURL(/\?account=own&act=account.create&from=2026-01-31$/);
    await page.reload();
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('2026-01-31');
    await page.getByRole('cell', { name: /^Account created/ }).waitFor();
    expect(await page.getByRole('row').filter({ hasNotText: 'Account created' }).count()).toBe(1);
    expect(complaintsOf(page)).toEqual([]);
  });

  it('show what an account spends of its budgets, and what it will have spent', async () => {
    const page = await signInAndOpen(gateway, '/settings/accounts');
    const bob = page.getByRole('row', { name: /bob@example.org/ });
    await bob.getByText('$0 of $5.00 today').waitFor();
    await page.clock.setFixedTime('2030-01-15T12:00:00Z');
    await page.route(/\/usage\?.*by=account/, async (route) => {
      const accounts = await page.request.get(`${gateway.url}/api/v1/accounts`);
      const { items: all } = (await accounts.json()) as { items: { id: string; email: string }[] };
      const accountId = all.find(({ email }) => email === 'bob@example.org')?.id;
      // on the second page
      const isFirst = !route.request().url().includes('cursor=');
      const items = isFirst ? [] : [{ accountId, costUsd: 1, heldUsd: 0.5 }];
      await route.fulfill({ json: { items, next: isFirst ? 'more' : null } });
    });
    await page.reload();
    await bob.getByText('$1.50 of $5.00 today').waitFor();
    await bob.getByText('At this rate $3.00 by midnight').waitFor();
  });

  it('show the configuration without secrets, and try its connections', async () => {
    const page = await signInAndOpen(gateway, '/settings/configuration');
    await page
      .getByText('closed: administrators invite')
      .or(page.getByText('open to everyone'))
      .waitFor();
    expect(await page.content()).not.toContain('provider-secret');
    await page.getByRole('button', { name: 'Test Database' }).click();
    await page.getByText(/the embedded database answers/).waitFor();
    await page.getByRole('button', { name: 'Test Provider up' }).click();
    await page.getByText(/it answers/).waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it('send an alert as a test, signed, and say where it went', async () => {
    const page = await signInAndOpen(gateway, '/settings/alerts');
    await page.getByText('Nothing needed attention').waitFor();
    await page.getByRole('button', { name: 'Test Alerts' }).click();
    await page.getByRole('row', { name: /This is a test: alerts arrive.*webhook/ }).waitFor();
    expect(signatures).toEqual([expect.stringMatching(/^v1,/)]);
  });

  it('let an administrator change and revoke the keys of all accounts', async () => {
    await signedUp(gateway.url, 'cleo@example.org');
    const member = await signInAndOpen(gateway, '/keys', {
      email: 'cleo@example.org',
      password: goodPassword,
    });
    await member.getByRole('button', { name: 'Create a key' }).first().click();
    await member.getByRole('textbox', { name: 'Name' }).fill('of cleo');
    await member.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
    await member.getByRole('button', { name: 'I have copied it' }).click();
    const page = await signInAndOpen(gateway, '/keys');
    const row = page.getByRole('row', { name: /of cleo.*cleo@example.org/ });
    const choose = async (act: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for of cleo' }).click();
      await page.getByRole('menuitem', { name: act }).click();
    };
    await choose('Edit');
    await page.getByRole('textbox', { name: 'USD a month' }).fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('of $7.00 this month').waitFor();
    await choose('Revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText(/revoked/i).waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it('let a member change the password and delete the account, and show nothing of others', async () => {
    await signedUp(gateway.url, 'carol@example.org');
    const carol = { email: 'carol@example.org', password: goodPassword };
    const page = await signInAndOpen(gateway, '/settings', carol);
    await page.getByRole('tab').first().waitFor();
    expect(await page.getByRole('tab').allTextContents()).toEqual(['Your account', 'Audit log']);
    await page.getByLabel('Current password').fill(goodPassword);
    await page.getByLabel('New password').fill('another good one');
    await page.getByRole('button', { name: 'Change the password' }).dblclick();
    await page.getByText('The password was changed.').waitFor();
    const dialog = page.getByRole('dialog');
    const ask = async (password: string): Promise<void> => {
      await page.getByLabel('Your password, to delete the account').fill(password);
      await page.getByRole('button', { name: 'Delete the account' }).click();
    };
    await ask('a wrong one');
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await ask('another good one');
    await dialog.waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByRole('heading', { name: 'Sign in to Signalbox' }).waitFor();
  });

  it.each(['light', 'dark'] as const)('have no serious finding of axe (%s)', async (theme) => {
    for (const width of [1280, 390]) {
      const page = await signInAndOpen(gateway, '/settings', undefined, { theme, width });
      for (const tab of ['account', 'accounts', 'configuration', 'audit']) {
        await page.goto(`${gateway.url}/settings/${tab}`);
        await page.getByRole('tabpanel').waitFor();
        await page.waitForLoadState('networkidle');
        expect(await seriousFindings(page), tab).toEqual([]);
      }
    }
  });
});
