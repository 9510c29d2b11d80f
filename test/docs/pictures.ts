import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { memoryDatabases } from '../helpers/memory-databases.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { addDemoData } from './demo-data.js';

/**
 * Makes the pictures of README.md and docs: `npm run pictures`, after `npm run build`. They show the
 * real dashboard of a gateway whose request log was filled with a made-up day, and Debian's chromium
 * draws them.
 */

const folder = join(import.meta.dirname, '../../docs/pictures');
const quiet = { onWarning: () => undefined, onNews: () => undefined };
const size = { width: 1280, height: 860 };
const person = { email: 'ann@example.org', password: 'correct horse battery' };

const answer = [
  'Sunlight holds every colour. In air, molecules scatter short waves far more than long ones: ',
  '**Rayleigh scattering** grows with the fourth power of the frequency.\n\n',
  '| Colour | Wavelength | Scattered |\n| --- | --- | --- |\n| Blue | 450 nm | 5.9 times |\n| Red | 700 nm | 1 time |\n',
];

const busy = { status: 503, body: { error: { message: 'The server is overloaded' } } };
const answered = {
  text: answer,
  delayMs: 180,
  betweenMs: 60,
  usage: { prompt: 24, completion: 96 },
};

/** A gateway with that day, and one request that fell back to a second model. */
async function filledGateway(upstream: Upstream): Promise<RunningGateway> {
  const databases = memoryDatabases(null, quiet);
  const { store } = await databases.get();
  await addDemoData(store, { days: 1, count: 1_700 });
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
  await page.getByLabel('First API key').fill(await gateway.claimCode());
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
  await page.setViewportSize({ ...size, height: 1_024 });
  await page.goto(`${gateway.url}/?range=24h`, { waitUntil: 'networkidle' });
  await page
    .getByRole('link', { name: /gpt-5-mini/ })
    .first()
    .waitFor();
  await save('overview');
  await page.setViewportSize(size);
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
  const page = await browser.newPage({ viewport: size });
  await signedIn(page, gateway);
  for (const theme of ['light', 'dark'] as const) {
    let hasFailed = false;
    // the lists of models, which are asked in the background, take no step away
    upstream.script([
      ({ method }) => {
        if (method !== 'POST' || hasFailed) return answered;
        hasFailed = true;
        return busy;
      },
    ]);
    await draw(page, gateway, theme);
  }
} finally {
  await browser.close();
  await Promise.all([gateway.close(), upstream.close()]);
}
