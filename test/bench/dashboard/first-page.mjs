// How long the first page takes to be of use, in Debian's chromium with an empty cache.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { short, tableOf } from '../table.mjs';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const kilobit = 1_000 / 8;

/** As a telephone has them; the last is this machine. */
const connections = [
  { name: 'slow 4G: 1.6 Mbit/s, 150 ms', down: 1_600 * kilobit, latency: 150, cpu: 4 },
  { name: 'fast 4G: 9 Mbit/s, 85 ms', down: 9_000 * kilobit, latency: 85, cpu: 4 },
  { name: 'local', down: -1, latency: 0, cpu: 1 },
];

const person = { email: 'ann@example.org', password: 'correct horse battery' };

/** Claims the gateway and loads the overview over each connection. */
export async function measureFirstPage(gateway) {
  if (!existsSync(executablePath)) return 'first page: not measured, because there is no chromium';
  const claim = await fetch(`${gateway.url}/api/v1/auth/claim`, {
    method: 'POST',
    headers: { ...gateway.auth, 'content-type': 'application/json' },
    body: JSON.stringify(person),
  });
  if (!claim.ok) throw new Error(`the claim was answered ${claim.status}`);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const rows = [['connection', 'navigation shown, ms', 'figures shown, ms', 'script, kB']];
    for (const connection of connections) rows.push(await measured(browser, gateway, connection));
    return tableOf(rows);
  } finally {
    await browser.close();
  }
}

async function measured(browser, gateway, { name, down, latency, cpu }) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${gateway.url}/sign-in`);
  await page.getByLabel('Mail address').fill(person.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: down,
    uploadThroughput: down,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpu });
  let script = 0;
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) script += Number(response.headers()['content-length'] ?? 0);
  });
  const startedAt = performance.now();
  await page.goto(`${gateway.url}/?range=24h`, { waitUntil: 'commit' });
  await page.getByRole('navigation').waitFor();
  const navigation = performance.now() - startedAt;
  await page.getByRole('link', { name: 'm0', exact: true }).first().waitFor();
  const figures = performance.now() - startedAt;
  await context.close();
  return [name, short(navigation), short(figures), short(script / 1_000)];
}
