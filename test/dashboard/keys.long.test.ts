import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  claimAndOpen,
  closeChromium,
  complaintsOf,
  hasChromium,
  seriousFindings,
} from '../helpers/chromium.js';
import { endProcesses, type GatewayProcess, startProcess } from '../helpers/process.js';
import { post } from '../helpers/sse.js';

const run = promisify(execFile);
const scripts: string[] = [];

describe.runIf(hasChromium)('the pages of API keys and settings for programs', () => {
  let gateway: GatewayProcess;
  beforeEach(async () => {
    gateway = await startProcess();
  });
  afterEach(async () => {
    for (const file of scripts.splice(0)) rmSync(file);
    await endProcesses();
  });
  afterAll(closeChromium);

  const complete = (key: string): Promise<{ status: number }> =>
    post(
      `${gateway.url}/v1/chat/completions`,
      { model: 'demo/demo-large', messages: [{ role: 'user', content: 'Say hello' }] },
      { authorization: `Bearer ${key}` },
    );

  it('make a key that works until it is revoked, and show what was used with it', async () => {
    const page = await claimAndOpen(gateway, '/keys');
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('laptop');
    await page.getByRole('textbox', { name: 'Requests a minute' }).fill('30');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
    const secret = page.getByRole('group', { name: 'laptop' });
    const key = await secret.innerText();
    expect(key).toMatch(/^sk_[\w-]{32}$/);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect((await complete(key)).status).toBe(200);
    const row = page.getByRole('row', { name: /laptop/ }).first();
    expect(await row.innerText()).toContain('30 req/min');
    expect(await page.content()).not.toContain(key);

    const choose = async (act: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for laptop' }).click();
      await page.getByRole('menuitem', { name: act }).click();
    };
    await choose('Rotate');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const renewed = await secret.innerText();
    expect(renewed).not.toBe(key);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect([(await complete(key)).status, (await complete(renewed)).status]).toEqual([200, 200]);

    await expect
      .poll(async () => {
        await page.reload();
        await row
          .getByRole('link', { name: '3', exact: true })
          .waitFor({ timeout: 2_000 })
          .catch(() => null);
        return row.innerText();
      })
      .toMatch(/this month\s+3\s/);
    await row.getByRole('link', { name: '3', exact: true }).click();
    await page.getByRole('table').getByRole('link').nth(2).waitFor();
    await page.goBack();
    await choose('Edit');
    await page.getByRole('combobox', { name: 'Toolkits' }).fill('weather');
    await page.getByRole('combobox', { name: 'Toolkits' }).press('Enter');
    await page.getByRole('textbox', { name: 'USD a day' }).fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText(/of \$5\.00 today/).waitFor();
    expect(await row.innerText()).toContain('weather');

    await choose('Revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText(/^Revoked/).waitFor();
    expect([(await complete(key)).status, (await complete(renewed)).status]).toEqual([401, 401]);
    expect(complaintsOf(page)).toEqual([]);
  });

  it('say in the form for how many longest answers a budget pays', async () => {
    const config = `
providers: { up: { api: openai-compatible, baseUrl: 'http://127.0.0.1:9/v1', listModels: false } }
models: { up/gpt-4.1: { inputPrice: 2, outputPrice: 8 } }`;
    const page = await claimAndOpen(await startProcess({ config }), '/keys');
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    await page.getByRole('textbox', { name: 'USD a day' }).fill('5');
    await page.getByText('Pays for 19 answers of up/gpt-4.1, at their longest').waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it('take numbers as they are typed, lose none by a click beside the form, and make one key of a double click', async () => {
    const page = await claimAndOpen(gateway, '/keys');
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    const budget = form.getByRole('textbox', { name: 'USD a day' });
    for (const typed of ['1.05', '12.50', '0.05']) {
      await budget.fill('');
      await budget.pressSequentially(typed);
      expect(await budget.inputValue()).toBe(typed);
    }
    await form.getByRole('textbox', { name: 'Name' }).fill('cents');
    await page.mouse.click(5, 5);
    const lists: string[] = [];
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/api/v1/**', async (route) => {
      if (route.request().method() === 'GET') {
        lists.push(route.request().url());
        await held;
      }
      await route.continue();
    });
    await form.getByRole('button', { name: 'Create a key' }).dblclick();
    await page.getByRole('button', { name: 'I have copied it' }).waitFor();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await expect.poll(() => lists.length).toBeGreaterThan(0);
    goOn();
    await page.getByText('of $0.05 today').waitFor();
    expect(await page.getByRole('button', { name: 'Actions for cents' }).count()).toBe(1);
    expect(complaintsOf(page)).toEqual([]);
  });

  it('give settings with a new key that answer as pasted, for curl and Node', async () => {
    const page = await claimAndOpen(gateway, '/connect');
    const code = async (program: string): Promise<string> => {
      await page.getByRole('tab', { name: program, exact: true }).click();
      return page.getByRole('group', { name: program, exact: true }).innerText();
    };
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'demo/demo-large' }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('status').filter({ hasText: 'Made for' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    const answered = await run('sh', ['-c', await code('curl')]);
    expect(JSON.parse(answered.stdout)).toMatchObject({ object: 'chat.completion' });
    // beside the package, whose development packages have the SDK
    const file = resolve(join('node_modules', '.pasted-example.mjs'));
    scripts.push(file);
    writeFileSync(file, await code('Node'));
    expect((await run(process.execPath, [file])).stdout.trim()).not.toBe('');
    expect(complaintsOf(page)).toEqual([]);
  });
});
