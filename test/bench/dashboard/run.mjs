// How fast the dashboard's lists and charts are over a million requests, and how long its first
// page takes to be of use over a slow connection. Times of this machine, not ratios: compare them
// with one another and with the goals.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuTimeUs } from '../processes.mjs';
import { short, tableOf } from '../table.mjs';
import { fillDatabase } from './fill.mjs';
import { startFilled } from './gateway.mjs';
import { measureFirstPage } from './first-page.mjs';
import { measureStoring } from './store-cost.mjs';

const fullSize = { requests: 1_000_000, repeats: 25 };
const quickSize = { requests: 50_000, repeats: 5 };

const hourMs = 3_600_000;
const ago = (ms) => new Date(Date.now() - ms).toISOString();

/** What the pages ask, as they ask it. */
const reads = {
  'requests, first page': () => '/api/v1/requests?account=all&limit=50',
  'requests, failed ones': () => '/api/v1/requests?account=all&failed=true&limit=50',
  'requests, one model': () =>
    '/api/v1/requests?account=all&provider=p3&model=m3&limit=50&from=' + ago(24 * hourMs),
  'requests, two models': () =>
    '/api/v1/requests?account=all&model=p3/m3,p9/m9&limit=50&from=' + ago(24 * hourMs),
  'requests, one account': () => '/api/v1/requests?limit=50',
  'requests by cost': () => '/api/v1/requests?account=all&sort=cost&limit=50',
  'requests by cost, a cheap model': () =>
    '/api/v1/requests?account=all&model=p0/m0&sort=cost&limit=50',
  'requests by cost, no such model': () =>
    '/api/v1/requests?account=all&model=p0/none&sort=cost&limit=50',
  'requests by cost, one code': () =>
    '/api/v1/requests?account=all&code=upstream_error&sort=cost&limit=50',
  'requests by cost, the fastest 20 %': () =>
    '/api/v1/requests?account=all&maxLatency=519&sort=cost&limit=50',
  'histogram, 24 hours': () => `/api/v1/requests/histogram?account=all&from=${ago(24 * hourMs)}`,
  'histogram, 30 days': () => `/api/v1/requests/histogram?account=all&from=${ago(720 * hourMs)}`,
  'series, 1 hour by model': () => `/api/v1/usage/series?account=all&by=model&from=${ago(hourMs)}`,
  'series, 24 hours by model': () =>
    `/api/v1/usage/series?account=all&by=model&from=${ago(24 * hourMs)}`,
  'series, 30 days by model': () =>
    `/api/v1/usage/series?account=all&by=model&from=${ago(720 * hourMs)}`,
  'series, 90 days by model': () =>
    `/api/v1/usage/series?account=all&by=model&from=${ago(2_160 * hourMs)}`,
  'series, 24 hours by account': () =>
    `/api/v1/usage/series?account=all&by=account&from=${ago(24 * hourMs)}`,
  'series, 90 days by key': () =>
    `/api/v1/usage/series?account=all&by=key&from=${ago(2_160 * hourMs)}`,
  'series, one account, 24 hours by model': () =>
    `/api/v1/usage/series?by=model&from=${ago(24 * hourMs)}`,
  'series, one account, 90 days by model': () =>
    `/api/v1/usage/series?by=model&from=${ago(2_160 * hourMs)}`,
  'usage by key, 30 days': () => '/api/v1/usage?account=all&by=key&limit=100',
  conversations: () => '/api/v1/conversations?limit=50',
};

/** Sorted times, and the CPU time of one read: that of all threads of the gateway. All in ms. */
async function timesOf(gateway, path, repeats) {
  const times = [];
  let cpuUs = 0;
  for (let count = 0; count <= repeats; count++) {
    // the first one fills the caches
    if (count === 1) cpuUs = await cpuTimeUs(gateway.child);
    const startedAt = performance.now();
    const answer = await fetch(gateway.url + path(), { headers: gateway.auth });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path()} answered ${answer.status}: ${text.slice(0, 200)}`);
    times.push(performance.now() - startedAt);
  }
  const cpuMs = ((await cpuTimeUs(gateway.child)) - cpuUs) / 1_000 / repeats;
  return { cpuMs, times: times.slice(1).sort((one, other) => one - other) };
}

const at = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

/** Fills a database, starts the gateway on it, and prints the times. */
export async function runDashboard({ dist, against, quick }) {
  const { requests, repeats } = quick ? quickSize : fullSize;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-dashboard-bench-'));
  try {
    const startedAt = performance.now();
    await fillDatabase(dist, join(folder, 'data'), requests);
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(`${requests} requests over 90 days, written in ${short(seconds)} s\n`);
    const gateway = await startFilled(dist, folder);
    try {
      const rows = [['read', 'p50, ms', 'p95, ms', 'CPU, ms']];
      for (const [name, path] of Object.entries(reads)) {
        const { times, cpuMs } = await timesOf(gateway, path, repeats);
        rows.push([name, short(at(times, 0.5)), short(at(times, 0.95)), short(cpuMs)]);
      }
      console.log(`${tableOf(rows)}\n`);
      console.log(await measureFirstPage(gateway));
    } finally {
      await gateway.stop();
    }
    if (against) console.log(`\n${await measureStoring([against, dist], folder, quick)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
