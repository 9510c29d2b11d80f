import { afterEach, describe, expect, it } from 'vitest';
import { claimAndOpen, hasChromium } from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import { ask } from '../helpers/sse.js';

/** Of compressed script, in bytes. */
const maxScriptBytes = 250_000;

afterEach(closeDashboards);

describe('the packages in the dashboard', () => {
  it('come with their licences', async () => {
    const { gateway } = await startDashboard({ dashboard: true });
    const { status, headers, text } = await ask('GET', `${gateway.url}/assets/licenses.txt`);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    for (const name of ['react', 'react-dom', '@mantine/core', 'uplot', 'wouter', 'openapi-fetch'])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'));
    expect(text).toContain('Permission is hereby granted');
  });
});

describe.runIf(hasChromium)('the first load of the dashboard', () => {
  it('takes at most 250 kB of compressed script, and nothing from elsewhere', async () => {
    const { gateway } = await startDashboard();
    const page = await claimAndOpen(gateway);
    const scripts = new Map<string, number>();
    const elsewhere: string[] = [];
    page.on('response', (response) => {
      const url = response.url();
      if (!url.startsWith(gateway.url)) elsewhere.push(url);
      if (!url.endsWith('.js')) return;
      expect(response.headers()['content-encoding']).toBeDefined();
      scripts.set(url, Number(response.headers()['content-length']));
    });
    await page.goto(`${gateway.url}/`, { waitUntil: 'networkidle' });
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(maxScriptBytes);
    expect(elsewhere).toEqual([]);
  });
});
