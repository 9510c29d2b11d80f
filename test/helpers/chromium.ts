import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { provision } from './provisions.js';

const executablePath = await provision('chromium');

/** Whether the browser's tests can run; with `CI` set, its absence fails the run instead. */
export const hasChromium = executablePath !== '';

let started: Promise<Browser> | undefined;

/** One browser for all tests of a file; `closeChromium` ends it. */
const browser = (): Promise<Browser> =>
  (started ??= chromium.launch({ executablePath, args: ['--no-sandbox'] }));

/** Ends the browser. For `afterAll`. */
export async function closeChromium(): Promise<void> {
  await started?.then((running) => running.close());
  started = undefined;
}

/** What a page was told by the browser: script errors and refusals of the security policy. */
const complaints = new WeakMap<Page, string[]>();

/** How a page is opened. */
export interface OpenOptions {
  theme?: 'light' | 'dark';
  /** Of the window; 390 is a telephone. */
  width?: number;
  height?: number;
  timezone?: string;
}

/** Opens a page in a new profile, which has no cookies. */
export async function openPage(url: string, options: OpenOptions = {}): Promise<Page> {
  const { theme = 'light', width = 1280, height = 900, timezone = 'Europe/Berlin' } = options;
  const context = await (
    await browser()
  ).newContext({
    colorScheme: theme,
    // axe would see a dialog half faded in
    reducedMotion: 'reduce',
    viewport: { width, height },
    timezoneId: timezone,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const said: string[] = [];
  complaints.set(page, said);
  page.on('pageerror', (error) => void said.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      said.push(message.text());
  });
  await page.goto(url);
  return page;
}

/** Script errors and refusals of the security policy since the page was opened. */
export const complaintsOf = (page: Page): readonly string[] => complaints.get(page) ?? [];

/** Who signs in where tests do not care who. */
const someone = { email: 'ann@example.org', password: 'correct horse battery' };

/** A gateway in this process or in its own, whose first key claims it too. */
interface Claimable {
  url: string;
  key: string;
  claimCode?(): Promise<string>;
}

/** Claims a gateway through the page, which is then signed in as its administrator. */
export async function claimAndOpen(
  gateway: Claimable,
  path = '/',
  options: OpenOptions = {},
): Promise<Page> {
  const page = await openPage(`${gateway.url}/claim`, options);
  await page.getByLabel('First API key').fill((await gateway.claimCode?.()) ?? gateway.key);
  await page.getByLabel('Mail address').fill(someone.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(someone.password);
  await page.getByRole('button', { name: 'Become the administrator' }).click();
  await page.getByRole('navigation').waitFor();
  if (path !== '/') await page.goto(gateway.url + path);
  return page;
}

/** Signs in through the page. */
export async function signInAndOpen(
  gateway: Pick<Claimable, 'url'>,
  path = '/',
  { email, password } = someone,
  options: OpenOptions = {},
): Promise<Page> {
  const page = await openPage(`${gateway.url}/sign-in`, options);
  await page.getByLabel('Mail address').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
  await page.goto(gateway.url + path);
  return page;
}

/** What axe finds of some impacts, a line each; default: what is serious or critical. */
export async function seriousFindings(
  page: Page,
  impacts: readonly string[] = ['serious', 'critical'],
): Promise<string[]> {
  // evaluated in the page's own world, where the policy would refuse a script element
  await page.evaluate(axe.source);
  // what passes is not described node by node, which takes most of the time on a long page
  const { violations } = await page.evaluate<{ violations: AxeViolation[] }>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact !== null && impacts.includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`),
    );
}

interface AxeViolation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}
