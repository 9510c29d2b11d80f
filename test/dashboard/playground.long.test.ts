import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  claimAndOpen,
  complaintsOf,
  hasChromium,
  type OpenOptions,
  seriousFindings,
  signInAndOpen,
} from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';
import { type HttpMcp, startHttpMcp } from '../helpers/http-mcp.js';
import { articlePage, type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { askedFor, towerFact, towerResearcher } from '../helpers/research-upstream.js';
import type { Step } from '../helpers/steps.js';
import type { Upstream, UpstreamCall } from '../helpers/upstream.js';

const sky = {
  reasoning: ['They ask about scattering.'],
  text: [
    'The sky is **blue**.\n\n| Colour | Share |\n|---|--:|\n| Blue | 5.5 |\n\n```js\nlet a = 1;\n```\n\n',
    '![a picture](https://example.org/x.png?who=me) <img src=x onerror=alert(1)> [run](javascript:alert(1))\n',
  ],
};
const weatherCall = { toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] };

/** Plays a step for each round of tools, so that other calls, such as of titles, take none away. */
const byRound =
  (...steps: Step[]) =>
  ({ body }: UpstreamCall): Step => {
    const messages = (body?.['messages'] ?? []) as { role: string }[];
    return steps[messages.filter(({ role }) => role === 'tool').length] ?? {};
  };

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.runIf(hasChromium)('the playground', () => {
  let upstream: Upstream;
  let world: SearchWorld;
  let mcp: HttpMcp;
  let gateway: RunningGateway;
  let page: Page;
  beforeAll(async () => {
    [world, mcp] = await Promise.all([startSearchWorld(), startHttpMcp()]);
    ({ gateway, upstream } = await startDashboard({
      limits: { maxRetries: 0 },
      models: {
        'up/good': { inputPrice: 1, outputPrice: 10, images: true, tools: true },
        'up/small': { inputPrice: 0.1, outputPrice: 0.4, images: true, tools: true },
      },
      search: {
        engines: [{ type: 'searxng', url: world.url, pricePerThousand: 5 }],
        allowPrivateHosts: [world.host],
      },
      toolkits: { echoes: { type: 'mcp-http', url: mcp.url } },
    }));
    world.pages = [{ title: 'Lindow tower', url: `${world.url}/tower`, text: 'The tower.' }];
    world.web = { '/tower': articlePage('Lindow tower', towerFact, towerFact) };
    page = await claimAndOpen(gateway, '/playground');
  });
  afterAll(async () => {
    await closeDashboards();
    await Promise.all([world.close(), mcp.close()]);
  });
  beforeEach(async () => {
    upstream.script([]);
    upstream.requests.length = 0;
    await page.goto(`${gateway.url}/playground`);
  });
  afterEach(() => expect(complaintsOf(page)).toEqual([]));

  const ask = async (text: string, on = page): Promise<void> => {
    await on.getByLabel('Your message').fill(text);
    await on.keyboard.press('Enter');
  };
  const answered = (on = page) =>
    on.getByRole('button', { name: 'A good answer' }).first().waitFor();
  const lastBody = (): Record<string, unknown> => upstream.requests.at(-1)?.body ?? {};

  it('streams an answer as Markdown that loads nothing and runs nothing', async () => {
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    upstream.script([sky]);
    await ask('Why is the sky blue?');
    await answered();
    const answer = page.getByRole('article');
    await answer.locator('strong', { hasText: 'blue' }).waitFor();
    await answer.getByRole('cell', { name: '5.5' }).waitFor();
    expect(await answer.locator('img').count()).toBe(0);
    expect(await answer.getByText('<img src=x onerror=alert(1)>').count()).toBe(1);
    const links = answer.getByRole('link');
    expect(await links.count()).toBe(1);
    expect(await links.getAttribute('href')).toBe('https://example.org/x.png?who=me');
    expect(asked.filter((url) => !url.startsWith(gateway.url))).toEqual([]);
    await answer.getByText(/first token/).waitFor();
    expect(page.url()).toMatch(/\?conversation=[\w-]{36}$/);
  });

  it('sends the whole conversation with the next question, and says why the model was chosen', async () => {
    await ask('One?');
    await answered();
    await ask('Two?');
    await expect.poll(() => page.getByRole('button', { name: 'A good answer' }).count()).toBe(2);
    expect(lastBody()['messages']).toMatchObject([
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Two?' },
    ]);
    await page.getByRole('button', { name: 'Why this model?' }).last().click();
    const drawer = page.getByRole('dialog', { name: 'Why this model' });
    await drawer.getByRole('row', { name: /^up\/good/ }).waitFor();
    await drawer.getByRole('row', { name: /^up\/small/ }).waitFor();
    expect(await drawer.getByText('answered').count()).toBe(1);
  });

  it('stops an answer, and keeps what has come', async () => {
    upstream.script([{ text: ['A beginning'], hang: 'afterContent' }]);
    await ask('Tell me a long story');
    await page.getByText('A beginning').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('stopped', { exact: true }).waitFor();
    await page.getByText('A beginning').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    // what it cost is read from the request log, because no more of the stream comes
    await page.getByText(/^≈ \d+ → \d+ tokens$/).waitFor();
    await page
      .getByRole('article')
      .getByText(/^\$0\.0/)
      .waitFor();
  });

  it('answers a question of the past again, or another in its place, as a new conversation', async () => {
    await ask('One?');
    await answered();
    await expect.poll(() => page.url()).toMatch(/conversation=/);
    const first = page.url();
    await ask('Two?');
    await expect.poll(() => page.getByRole('button', { name: 'A good answer' }).count()).toBe(2);
    upstream.script([{ text: ['Another answer'] }]);
    await page.getByRole('button', { name: 'Answer again' }).first().click();
    await page.getByText('Another answer').waitFor();
    await answered();
    expect(await page.getByRole('article').count()).toBe(1);
    expect(lastBody()['messages']).toEqual([{ role: 'user', content: 'One?' }]);
    await expect.poll(() => page.url()).not.toBe(first);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Your changed message' }).fill('Three?');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await answered();
    expect(lastBody()['messages']).toEqual([{ role: 'user', content: 'Three?' }]);
    await page.goto(first);
    await page.getByText('Two?').waitFor();
  });

  it('asks with a temperature and an effort', async () => {
    await page.getByRole('button', { name: 'Search, tools and more' }).click();
    await page.getByLabel('Temperature').fill('0.3');
    await page.getByRole('combobox', { name: 'Reasoning effort' }).click();
    await page.getByRole('option', { name: 'Low' }).click();
    await ask('Hi');
    await answered();
    expect(lastBody()).toMatchObject({ temperature: 0.3, reasoning_effort: 'low' });
  });

  it.each([1280, 390])('has options that cover no answer, %i pixels wide', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    upstream.script([weatherCall]);
    await page.getByRole('button', { name: 'Search, tools and more' }).click();
    await page.getByRole('button', { name: 'Insert an example' }).click();
    if (width < 1000) await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await ask('How is the weather in Rome?');
    const result = page.getByLabel('Result');
    await result.fill('24 °C');
    const box = await result.boundingBox();
    const at = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + 10 };
    const isOnTop = await page.evaluate(`document.elementFromPoint(${at.x}, ${at.y})?.tagName`);
    expect(isOnTop).toBe('TEXTAREA');
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('asks several models side by side, and says which was the cheapest', async () => {
    // its field lies under what was chosen
    await page.getByRole('combobox', { name: 'Models' }).click({ force: true });
    await page.getByRole('option', { name: 'up/small' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compare' }).click();
    await ask('Who are you?');
    await expect.poll(() => page.getByRole('button', { name: 'A good answer' }).count()).toBe(2);
    expect(upstream.requests).toHaveLength(2);
    expect(await page.getByRole('article').count()).toBe(2);
    await page.getByText(/Cheapest: up\/small, \$0\.\d+ \(dearest \$0\.\d+\)/).waitFor();
  });

  it('shows the calls of the tools that the reader wrote, and sends the results', async () => {
    upstream.script([weatherCall, { text: ['Sunny in Rome.'] }]);
    await page.getByRole('button', { name: 'Search, tools and more' }).click();
    await page.getByRole('button', { name: 'Insert an example' }).click();
    await page.getByRole('button', { name: /get_weather/ }).click();
    await ask('How is the weather in Rome?');
    await page.getByLabel('Result').fill('24 °C and sunny');
    await page.getByRole('button', { name: 'Send the results' }).click();
    await page.getByText('Sunny in Rome.').waitFor();
    expect(lastBody()['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'get_weather' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: '24 °C and sunny' },
    ]);
  });

  it('shows searches while they run, and sources with the quote and whether it was verified', async () => {
    upstream.script([
      byRound(
        { toolCalls: [{ name: 'web_search', arguments: { query: 'Lindow tower' } }] },
        { toolCalls: [{ name: 'web_fetch', arguments: { url: `${world.url}/tower` } }] },
        { text: ['The Lindow tower is 312 metres tall', ' [1].'] },
      ),
    ]);
    await page.getByRole('button', { name: 'Search, tools and more' }).click();
    await page.getByRole('combobox', { name: 'Web search' }).click();
    await page.getByRole('option', { name: 'When it helps' }).click();
    await page.getByRole('button', { name: 'With: Web search' }).click();
    await ask('How tall is the Lindow tower?');
    await answered();
    await page.getByText(/Steps before the answer/).click();
    await page.getByText('Searching: Lindow tower').waitFor();
    await page.getByRole('list', { name: 'Sources' }).getByRole('button').click();
    const source = page.getByRole('dialog');
    await source.getByText(`“${towerFact}”`).waitFor();
    await source.getByText('Verified: the source says it').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('shows the steps of research, and the sources that its answer cites', async () => {
    upstream.script([towerResearcher]);
    await page.getByRole('button', { name: 'Search, tools and more' }).click();
    await page.getByRole('combobox', { name: 'Research' }).click();
    await page.getByRole('option', { name: 'Low' }).click();
    await page.getByRole('button', { name: 'With: Research' }).click();
    await ask('How tall is the Lindow tower?');
    await answered();
    await page.getByText(/Steps before the answer/).click();
    const steps = page.getByRole('article').locator('.work-list');
    await steps.getByText(/Planning: .*How tall is it\?/).waitFor();
    await steps.getByText('Searching: Lindow tower height').waitFor();
    await steps.getByText(/Reading: .*tower/).waitFor();
    await page.getByRole('button', { name: /^Source 1: Lindow tower$/ }).click();
    const source = page.getByRole('dialog');
    await source.getByText('Verified: the source says it').waitFor();
    await source.getByText(/312 metres tall/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('tells while research runs for how long, and how many pages it has read', async () => {
    upstream.script([
      (call) => (askedFor(call) === 'answer' ? { hang: 'beforeHeaders' } : towerResearcher(call)),
    ]);
    await page.getByRole('button', { name: 'Search, tools and more' }).click();
    await page.getByRole('combobox', { name: 'Research' }).click();
    await page.getByRole('option', { name: 'Low' }).click();
    await page.getByRole('button', { name: 'With: Research' }).click();
    await ask('How tall is the Lindow tower?');
    const answer = page.getByRole('article');
    await answer.getByText('pages read: 1').waitFor();
    await answer.getByText(/^[1-9]\d* s$/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('stopped', { exact: true }).waitFor();
  });

  it('shows the calls of tools that the gateway runs, with how long they took', async () => {
    upstream.script([
      byRound(
        { toolCalls: [{ name: 'echoes__echo', arguments: {} }] },
        { text: ['The tool has echoed.'] },
      ),
    ]);
    await page.getByRole('button', { name: 'Search, tools and more' }).click();
    // its field lies under what was chosen
    await page.getByRole('combobox', { name: 'Toolkits' }).click({ force: true });
    await page.getByRole('option', { name: 'echoes' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'With: echoes' }).click();
    await ask('Call the tool');
    await page.getByText('The tool has echoed.').waitFor();
    await answered();
    await page.getByText(/Steps before the answer/).click();
    await page.getByText(/^Ran: echoes · echo \(\d+.* m?s\)$/).waitFor();
    await page.getByText(/tool calls: 1/).waitFor();
  });

  it.each([
    ['paste', 'ClipboardEvent', 'clipboardData'],
    ['drop', 'DragEvent', 'dataTransfer'],
  ])('attaches a picture by %s', async (way, kind, files) => {
    // no key or mouse of the browser brings a file
    await page.getByLabel('Your message').waitFor();
    await page.evaluate(`(() => {
      const ${files} = new DataTransfer();
      const bytes = Uint8Array.from([${pixel.join()}]);
      ${files}.items.add(new File([bytes], 'a.png', { type: 'image/png' }));
      const options = { bubbles: true, cancelable: true, ${files} };
      const field = document.querySelector('[aria-label="Your message"]');
      field.dispatchEvent(new ${kind}('${way}', options));
    })()`);
    await page.getByRole('img', { name: 'Picture 1' }).waitFor();
    await ask('What is this?');
    await answered();
    const sent = JSON.stringify(lastBody()['messages']);
    expect(sent.split(`data:image/png;base64,${pixel.toString('base64')}`)).toHaveLength(2);
  });

  it('attaches pictures that are chosen, and refuses other files', async () => {
    const files = page.locator('input[type=file]');
    await files.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
    await page.getByText('Only PNG, JPEG, WebP and GIF can be attached.').waitFor();
    await files.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: pixel });
    await page.getByRole('img', { name: 'Picture 1' }).waitFor();
    await ask('What is this?');
    await answered();
    expect(lastBody()['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          {
            type: 'image_url',
            image_url: { url: `data:image/png;base64,${pixel.toString('base64')}` },
          },
        ],
      },
    ]);
  });

  it('explains a failure in the words of the provider, with every attempt', async () => {
    upstream.script([{ status: 400, body: { error: { message: 'the dog ate the weights' } } }]);
    await ask('Hello?');
    const failure = page.getByRole('alert');
    await failure
      .getByText(/the dog ate the weights/)
      .first()
      .waitFor();
    await failure.getByRole('row', { name: /up\/small/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('ratings reach the router', async () => {
    await ask('Hi');
    await answered();
    const thumb = page.getByRole('button', { name: 'A bad answer' });
    await thumb.click();
    await expect.poll(() => thumb.getAttribute('aria-pressed')).toBe('true');
    const feedback = await page.evaluate(async () => (await fetch('api/v1/feedback')).json());
    expect(feedback).toMatchObject({ items: [{ score: 0 }] });
  });

  it.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 390 }] as OpenOptions[])(
    'has no serious finding of axe (%j), and no sideways scrolling',
    async (options) => {
      upstream.script([sky]);
      const other = await signInAndOpen(gateway, '/playground', undefined, options);
      await other.getByLabel('Your message').waitFor();
      expect(await seriousFindings(other)).toEqual([]);
      await ask('Why is the sky blue?', other);
      await answered(other);
      expect(await seriousFindings(other)).toEqual([]);
      await other.getByRole('button', { name: 'Search, tools and more' }).click();
      expect(await seriousFindings(other)).toEqual([]);
      if (options.width === 390)
        await other.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await other.getByRole('button', { name: 'Why this model?' }).click();
      await other.getByRole('dialog').waitFor();
      expect(await seriousFindings(other)).toEqual([]);
      expect(complaintsOf(other)).toEqual([]);
      await other.context().close();
    },
  );
});

describe.runIf(hasChromium)('the playground with limits.resumeMs', () => {
  const words = Array.from({ length: 60 }, (_, index) => `wörd${index} `);
  const whole = words.join('').trim();
  let upstream: Upstream;
  let page: Page;
  beforeAll(async () => {
    const served = await startDashboard({
      limits: { resumeMs: 600_000 },
      models: { 'up/good': { inputPrice: 1, outputPrice: 10 } },
    });
    upstream = served.upstream;
    page = await claimAndOpen(served.gateway, '/playground');
  });
  afterAll(closeDashboards);
  const answers = () => page.getByRole('button', { name: 'A good answer' }).count();

  it('goes on after a reload in mid-answer, without a lost or doubled character', async () => {
    upstream.script([{ text: words, betweenMs: 50 }]);
    await page.getByLabel('Your message').fill('Count to sixty');
    await page.keyboard.press('Enter');
    await page.getByText('wörd3').waitFor();
    await page.reload();
    await page.getByText('Count to sixty').waitFor();
    await expect.poll(answers).toBe(1);
    await page.getByText(whole, { exact: true }).waitFor();
    expect(upstream.requests.filter(({ body }) => body?.['stream'] === true)).toHaveLength(1);
    await page.getByLabel('Your message').fill('And now?');
    await page.keyboard.press('Enter');
    await expect.poll(answers).toBe(2);
    expect(upstream.requests.at(-1)?.body?.['messages']).toMatchObject([
      { role: 'user', content: 'Count to sixty' },
      { role: 'assistant', content: words.join('') },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it("ends the provider's call where the answer is stopped", async () => {
    upstream.script([{ text: ['A beginning'], hang: 'afterContent' }]);
    const before = upstream.requests.length;
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByLabel('Your message').fill('Tell me a long story');
    await page.keyboard.press('Enter');
    await page.getByText('A beginning').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(upstream.closed(before)).resolves.toBeNull();
    await page.getByText(/^≈ \d+ → \d+ tokens$/).waitFor();
  });

  it('goes on with two answers side by side', async () => {
    upstream.script([
      { text: words, betweenMs: 50 },
      { text: words, betweenMs: 50 },
    ]);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByLabel('Your message').fill('Count to sixty');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByText('wörd3').count()).toBe(2);
    await page.reload();
    await expect.poll(answers).toBe(2);
    expect(await page.getByText(whole, { exact: true }).count()).toBe(2);
    expect(complaintsOf(page)).toEqual([]);
  });
});
