import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDemoData } from '../docs/demo-data.js';
import { buildOnce } from '../helpers/build.js';
import {
  claimAndOpen,
  closeChromium,
  complaintsOf,
  hasChromium,
  openPage,
  seriousFindings,
} from '../helpers/chromium.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { memoryDatabases } from '../helpers/memory-databases.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const impacts = ['minor', 'moderate', 'serious', 'critical'];

/** Paths of the pages; `first`: the page of the first row there. */
const pages: readonly { path: string; first?: RegExp }[] = [
  { path: '/?range=7d' },
  { path: '/playground' },
  { path: '/conversations' },
  { path: '/conversations', first: /blue/ },
  { path: '/requests?range=7d' },
  { path: '/requests?range=7d&failedBy=provider', first: /:/ },
  { path: '/requests?range=7d&failed=false', first: /:/ },
  { path: '/models' },
  { path: '/preferences' },
  { path: '/preferences/new' },
  { path: '/preferences/evaluations' },
  { path: '/preferences', first: /cheap answers/ },
  { path: '/keys' },
  { path: '/connect' },
  { path: '/settings' },
  { path: '/settings/accounts' },
  { path: '/settings/configuration' },
  { path: '/settings/alerts' },
  { path: '/settings/audit' },
  { path: '/reference' },
  { path: '/reference/api-keys' },
  { path: '/reference/nothing' },
  { path: '/nowhere' },
];

const strangers = ['/sign-in', '/claim', '/forgot-password'];

async function filledGateway(upstream: Upstream): Promise<RunningGateway> {
  const databases = memoryDatabases(null, { onWarning: () => undefined, onNews: () => undefined });
  const { store } = await databases.get();
  await addDemoData(store);
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-up' } as const;
  const gateway = await startGateway(
    {
      providers: { openai: up, anthropic: up, groq: up },
      models: {
        'openai/gpt-5-mini': { inputPrice: 0.25, outputPrice: 2 },
        'anthropic/claude-sonnet-4-5': { inputPrice: 3, outputPrice: 15 },
        'groq/llama-3.3-70b-versatile': { inputPrice: 0.59, outputPrice: 0.79 },
      },
    },
    { databases },
  );
  return gateway;
}

/** The longest transition or animation of what is on a page and of what stands beside it, in ms. */
const longestMotion = (page: Page): Promise<number> =>
  page.evaluate(`Math.max(...[...document.querySelectorAll('*')].flatMap((element) =>
    ['', '::before', '::after'].flatMap((part) => {
      const { animationName, animationDuration, transitionDuration } = getComputedStyle(element, part);
      const durations = animationName === 'none' ? [] : animationDuration.split(',');
      return [...durations, ...transitionDuration.split(',')].map((one) => 1_000 * parseFloat(one));
    })))`);

describe.runIf(hasChromium)('every page, with the requests of a week', () => {
  let upstream: Upstream;
  let gateway: RunningGateway;
  let member: Page;
  beforeAll(async () => {
    await buildOnce();
    upstream = await startUpstream();
    gateway = await filledGateway(upstream);
    member = await claimAndOpen(gateway, '/preferences/new');
    await member.getByLabel('Name').fill('cheap answers');
    await member.getByRole('button', { name: 'Create' }).click();
    await member.getByRole('heading', { name: 'cheap answers', level: 1 }).waitFor();
  });
  afterAll(async () => {
    await closeChromium();
    await gateway.close();
    await upstream.close();
  });

  const widths = [1440, 1280, 768, 390];
  const findings = async (page: Page): Promise<string[]> => {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of widths) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        // charts are drawn anew after the window has changed
        const isTooWide = (): Promise<unknown> =>
          page.evaluate('document.documentElement.scrollWidth > innerWidth');
        await expect.poll(isTooWide).toBe(false);
        found.push(
          ...(await seriousFindings(page, impacts)).map(
            (one) => `${colorScheme}, ${width} px: ${one}`,
          ),
        );
      }
    return [...found, ...complaintsOf(page)];
  };

  it.each(pages)('has no finding of axe in any theme and width: $path $first', async (shown) => {
    await member.goto(gateway.url + shown.path, { waitUntil: 'networkidle' });
    if (shown.first)
      await member.getByRole('main').getByRole('link', { name: shown.first }).first().click();
    await member.waitForLoadState('networkidle');
    expect(await findings(member)).toEqual([]);
  });

  it('says what choosing saved in a sentence and a picture, and how it is computed in a fold', async () => {
    await member.goto(`${gateway.url}/?range=7d`);
    const panel = member.getByRole('region', { name: 'Savings' });
    await panel.getByText(/^(Choosing models|Whether choosing)/).waitFor();
    await panel.getByText(/^[\d.]+ (lower|higher) to [\d.]+ (lower|higher)$/).waitFor();
    const folded = [
      panel.getByText(/^[\d,]+ requests with a choice, .* Lines are 95 % intervals\.$/),
      panel.getByText(/would have cost \$[\d.]+ \(95 %: \$[\d.]+ to \$[\d.]+\)/),
    ];
    const areShown = () => Promise.all(folded.map((one) => one.isVisible()));
    expect(await areShown()).toEqual([false, false]);
    expect(await panel.getByText(/^\$\S+ to \$/).count()).toBe(0);
    await panel.getByText('How is this computed?').click();
    expect(await areShown()).toEqual([true, true]);
  });

  it.each([
    ['no-preference', 120],
    ['reduce', 0],
  ] as const)('moves nothing for long where %s is asked for', async (reducedMotion, longest) => {
    await member.emulateMedia({ reducedMotion });
    // lines stand where an answer does not come
    await member.route('**/api/v1/audit*', () => undefined);
    for (const path of ['/', '/requests', '/preferences/new', '/playground', '/settings/audit']) {
      await member.goto(gateway.url + path);
      await member.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
      if (path.endsWith('audit')) await member.getByLabel('Loading').first().waitFor();
      else await member.waitForLoadState('networkidle');
      expect([path, await longestMotion(member)]).toEqual([path, expect.closeTo(longest)]);
    }
    await member.unrouteAll();
  });

  it.each(strangers)('has none before the sign-in: %s', async (path) => {
    const page = await openPage(gateway.url + path);
    await page.waitForLoadState('networkidle');
    expect(await findings(page)).toEqual([]);
  });
});
