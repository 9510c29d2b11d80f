import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { claimAndOpen, hasChromium } from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import { ask } from '../helpers/sse.js';

interface Lock {
  packages: Record<string, { hasInstallScript?: boolean }>;
}

/** Of the page, its scripts, styles and pictures, as they are sent, in bytes. */
const maxFirstLoadBytes = 200_000;

afterEach(closeDashboards);

describe('the packages in the dashboard', () => {
  it('come with their licences', async () => {
    const { gateway } = await startDashboard({ dashboard: true });
    const { status, headers, text } = await ask('GET', `${gateway.url}/assets/licenses.txt`);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    for (const name of [
      'react',
      'react-dom',
      '@mantine/core',
      'uplot',
      'wouter',
      'katex',
      'lowlight',
    ])
      expect(text).toMatch(new RegExp(`^## ${name} - \\d+\\.`, 'm'));
    expect(text).toContain('Permission is hereby granted');
  });

  it('each state one, and run no scripts when they are installed', async () => {
    const { gateway } = await startDashboard({ dashboard: true });
    const { text } = await ask('GET', `${gateway.url}/assets/licenses.txt`);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
    const scripted = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    const named = [...text.matchAll(/^## (\S+) - \d\S*(.*)$/gm)];
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(([, , license = '']) => !/^ \([^()]+\)$/.test(license))).toEqual([]);
    expect(named.filter(([, name = '']) => scripted.includes(name))).toEqual([]);
  });
});

describe.runIf(hasChromium)('the first load of the dashboard', () => {
  it('takes at most 200 kB compressed, and nothing from elsewhere', async () => {
    const { gateway } = await startDashboard();
    const page = await claimAndOpen(gateway);
    const files = new Map<string, number>();
    const elsewhere: string[] = [];
    page.on('response', (response) => {
      const url = response.url();
      if (!url.startsWith(gateway.url)) elsewhere.push(url);
      if (url.includes('/api/')) return;
      if (/\.(js|css)$/.test(url)) expect(response.headers()['content-encoding']).toBe('br');
      files.set(url, Number(response.headers()['content-length']));
    });
    await page.goto(`${gateway.url}/`, { waitUntil: 'networkidle' });
    const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(maxFirstLoadBytes);
    expect(elsewhere).toEqual([]);
  });
});
