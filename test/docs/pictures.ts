import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import type { NewRequest } from '../../src/store/contracts/requests.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { memoryDatabases } from '../helpers/memory-databases.js';
import { requestRow } from '../helpers/request-row.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { seeded } from '../../src/chooser/training/custom/bootstrap.js';

/**
 * Makes the pictures of README.md and docs: `npm run pictures`, after `npm run build`. They show the
 * real dashboard of a gateway whose request log was filled with a made-up day, and Debian's chromium
 * draws them.
 */

const folder = join(import.meta.dirname, '../../docs/pictures');
const dayMs = 86_400_000;
const quiet = { onWarning: () => undefined, onNews: () => undefined };
const person = { email: 'ann@example.org', password: 'correct horse battery' };

const traffic = [
  { provider: 'openai', model: 'gpt-5-mini', share: 0.5, usd: 0.0012, ms: 2_400, ttft: 520 },
  {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    share: 0.3,
    usd: 0.011,
    ms: 6_100,
    ttft: 900,
  },
  { provider: 'gemini', model: 'gemini-2.5-flash', share: 0.2, usd: 0.0006, ms: 1_500, ttft: 310 },
];

/** The requests of a day: more by day than by night, some of them failed. */
function madeUpDay(now: number): NewRequest[] {
  const random = seeded(7);
  return Array.from({ length: 4_000 }, () => {
    const at = now - random() * dayMs;
    const hour = new Date(at).getUTCHours();
    const isKept = random() < 0.25 + 0.75 * Math.max(0, Math.sin(((hour - 5) / 24) * 2 * Math.PI));
    if (!isKept) return null;
    const chosen = random();
    const kind = traffic.find((_one, index) => chosen < sharesUpTo(index)) ?? traffic[0]!;
    const spread = 0.5 + random() + (random() < 0.05 ? 3 : 0);
    const failed = random() < 0.012;
    return requestRow({
      accountId: firstAccountId,
      keyId: null,
      at,
      provider: kind.provider,
      model: kind.model,
      status: failed ? 502 : 200,
      code: failed ? 'upstream_error' : null,
      error: failed ? 'the provider answered 500' : null,
      latencyMs: Math.round(kind.ms * spread),
      ttftMs: failed ? null : Math.round(kind.ttft * spread),
      promptTokens: Math.round(400 + random() * 1_800),
      completionTokens: Math.round(80 + random() * 600),
      costUsd: failed ? 0 : kind.usd * spread,
      stream: true,
    });
  }).filter((row) => row !== null);
}

const sharesUpTo = (index: number): number =>
  traffic.slice(0, index + 1).reduce((sum, { share }) => sum + share, 0);

const answer = [
  'Sunlight holds every colour. In air, molecules scatter short waves far more than long ones: ',
  '**Rayleigh scattering** grows with the fourth power of the frequency.\n\n',
  '| Colour | Wavelength | Scattered |\n| --- | --- | --- |\n| Blue | 450 nm | 5.9 times |\n| Red | 700 nm | 1 time |\n',
];

/** A gateway with that day, and one request that fell back to a second model. */
async function filledGateway(upstream: Upstream): Promise<RunningGateway> {
  const databases = memoryDatabases(null, quiet);
  const { store } = await databases.get();
  await store.requests.add(madeUpDay(Date.now()));
  const provider = {
    api: 'openai-compatible',
    baseUrl: `${upstream.url}/v1`,
    apiKey: 'sk-made-up',
  };
  return startGateway(
    {
      providers: { openai: provider, anthropic: provider },
      models: {
        'openai/gpt-5-mini': { inputPrice: 0.25, outputPrice: 2 },
        'anthropic/claude-sonnet-4-5': { inputPrice: 3, outputPrice: 15 },
      },
      routing: { auto: ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4-5'] },
    },
    { databases },
  );
}

async function signedIn(page: Page, gateway: RunningGateway): Promise<void> {
  await page.goto(`${gateway.url}/claim`);
  await page.getByLabel('Claim code').fill(await gateway.claimCode());
  await page.getByLabel('Mail address').fill(person.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password);
  await page.getByRole('button', { name: 'Become the administrator' }).click();
  await page.getByRole('navigation').waitFor();
}

async function draw(page: Page, gateway: RunningGateway, theme: 'light' | 'dark'): Promise<void> {
  const save = async (name: string): Promise<void> => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
  };
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(`${gateway.url}/?range=24h`, { waitUntil: 'networkidle' });
  await page
    .getByRole('link', { name: /gpt-5-mini/ })
    .first()
    .waitFor();
  await save('overview');
  await page.goto(`${gateway.url}/playground`, { waitUntil: 'networkidle' });
  await page.getByRole('textbox', { name: 'Your message' }).fill('Why is the sky blue?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'A good answer' }).first().waitFor();
  await save('playground');
  await page.goto(`${gateway.url}/requests`, { waitUntil: 'networkidle' });
  await page.getByRole('table').getByRole('link').first().click();
  await page.waitForURL(/requests\/.+/);
  await page.waitForLoadState('networkidle');
  await save('request');
}

mkdirSync(folder, { recursive: true });
const upstream = await startUpstream();
const gateway = await filledGateway(upstream);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await signedIn(page, gateway);
  for (const theme of ['light', 'dark'] as const) {
    upstream.script([{ status: 503 }, { text: answer, delayMs: 180, betweenMs: 60, usage: null }]);
    await draw(page, gateway, theme);
  }
} finally {
  await browser.close();
  await Promise.all([gateway.close(), upstream.close()]);
}
