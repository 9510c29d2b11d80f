import { afterEach, describe, expect, it } from 'vitest';
import { claimAndOpen, complaintsOf, hasChromium, openPage } from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import { endProcesses, startProcess } from '../helpers/process.js';
import { freePort } from '../helpers/server-process.js';
import { ask } from '../helpers/sse.js';

const noAnswer = 'The gateway does not answer. Trying again …';

describe.runIf(hasChromium)('an open tab', () => {
  afterEach(async () => {
    await closeDashboards();
    await endProcesses();
  });

  it('outlives a restart: the shell stays, one banner says so, and the page comes by itself', async () => {
    const env = { PORT: String(await freePort()) };
    const config = 'limits: { drainDelayMs: 0 }\n';
    const first = await startProcess({ env, config });
    const page = await claimAndOpen(first);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    first.signal('SIGTERM');
    await first.ended;
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await page.getByText(noAnswer).waitFor();
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(1);
    await page
      .getByRole('link', { name: 'Models and providers' })
      .or(page.getByRole('link', { name: 'Models' }))
      .first()
      .click();
    await startProcess({ env, folder: first.folder });
    // what failed has had the time to say so
    expect(await page.getByText(/Failed to fetch|That did not work/).count()).toBe(0);
    await page.getByText(noAnswer).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await page.getByLabel('Your message').waitFor();
    expect(
      complaintsOf(page).filter((said) => !/preload CSS|dynamically imported/.test(said)),
    ).toEqual([]);
  });

  it('loads itself anew after an upgrade, whose files have other names, with what was typed', async () => {
    const { gateway } = await startDashboard();
    const page = await claimAndOpen(gateway, '/playground');
    await page.getByLabel('Your message').fill('A prompt that is being typed');
    let loads = 0;
    // the new build has no file of the old name, and its page names another script
    await page.route('**/assets/connect-page-*.js', (route) =>
      loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.route(`${gateway.url}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="./assets/new.js">' }),
    );
    await page.route('**/connect', (route) => {
      loads += 1;
      return route.continue();
    });
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByText('What to fill in').waitFor();
    expect(loads).toBe(1);
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await expect
      .poll(() => page.getByLabel('Your message').inputValue())
      .toBe('A prompt that is being typed');
  });

  it('loads itself anew only once where two builds answer by turns, then says what is wrong', async () => {
    const { gateway } = await startDashboard();
    const page = await claimAndOpen(gateway);
    await page.route('**/assets/connect-page-*.js', (route) => route.fulfill({ status: 404 }));
    await page.route(`${gateway.url}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="./assets/new.js">' }),
    );
    let loads = 0;
    page.on('load', () => void (loads += 1));
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.getByText('This page has an error').waitFor();
    expect(loads).toBe(1);
  });

  it('asks for the password over the page when the sign-in has ended, and goes on with the prompt', async () => {
    const { gateway } = await startDashboard({
      models: { 'up/good': { inputPrice: 1, outputPrice: 10 } },
    });
    const page = await claimAndOpen(gateway, '/playground');
    await page.getByLabel('Your message').fill('Why is the sky blue?');
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your sign-in has ended').waitFor();
    expect(await dialog.getByLabel('Mail address').inputValue()).toBe('ann@example.org');
    await dialog.getByRole('textbox', { name: 'Password' }).fill('a wrong password');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('alert').innerText()).not.toContain('Request');
    await dialog.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Your sign-in had ended. Sign in, then try again.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'A good answer' }).waitFor();
    await page.getByText('Why is the sky blue?').first().waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it('says where a page breaks that it has an error, and the navigation still works', async () => {
    const { gateway } = await startDashboard();
    const page = await claimAndOpen(gateway);
    await page.route('**/api/v1/keys?*', (route) => route.fulfill({ json: { items: [null] } }));
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('This page has an error').waitFor();
    await page.getByRole('button', { name: 'Load the page again' }).waitFor();
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await page.getByLabel('Your message').waitFor();
    expect(await page.getByText('This page has an error').count()).toBe(0);
  });

  it('at a wrong address says so, with 404, while programs get JSON', async () => {
    const { gateway } = await startDashboard();
    const page = await claimAndOpen(gateway);
    const answer = await page.goto(`${gateway.url}/no/such/page`);
    expect(answer?.status()).toBe(404);
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await page.getByLabel('Your message').waitFor();
    expect(complaintsOf(page)).toEqual([]);
    for (const path of ['settings/none', 'keys/none', 'requests/a/b', 'preferences/none']) {
      await page.goto(`${gateway.url}/${path}`);
      await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    }
    const stranger = await openPage(`${gateway.url}/no/such/page`);
    await stranger.getByRole('heading', { name: 'Sign in to Signalbox' }).waitFor();
    const program = await ask('GET', `${gateway.url}/no/such/page`, gateway.auth);
    expect([program.status, program.json]).toMatchObject([404, { error: 'Not Found' }]);
  });
});
