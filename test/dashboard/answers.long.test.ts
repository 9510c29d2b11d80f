import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import type { Step } from '../helpers/steps.js';
import type { Upstream } from '../helpers/upstream.js';

const python = [
  '# the sum of squares',
  'from math import sqrt',
  '',
  '@cache',
  'class Vector:',
  '    def norm(self, scale: float = 1.5) -> float:',
  '        """How long it is."""',
  '        return sqrt(sum(x * x for x in self.values)) * scale if self else None',
  "print(f'${total}$ of $max$', True)",
].join('\n');

const script = [
  "const price = '$5'; // and $10",
  'export async function load(url: string): Promise<number[]> {',
  '  const answer = await fetch(`${url}/items?page=${1 + 2}`, { method: "GET" });',
  '  return /^[a-z]+$/i.test(url) ? (await answer.json()) : [null, 0x1f];',
  '}',
].join('\n');

const more = [
  '```json\n{ "name": "value", "count": 3, "isOpen": true }\n```',
  '```diff\n@@ -1,2 +1,2 @@\n-old line\n+new line\n```',
  '```html\n<p class="lead">Hello &amp; goodbye</p>\n```',
  '```bash\nfor f in *.txt; do echo "$f costs $1"; done # each\n```',
  '```css\n.lead:hover { color: #c00; margin: 0 auto !important; }\n```',
  "```sql\nSELECT name, count(*) FROM people WHERE age > 30 AND town = 'Rome';\n```",
  '```yaml\n# comment\nname: value\nlist:\n  - 1\n  - true\n```',
  '```mermaid\ngraph TD; A-->B\n```',
];

const wide = String.raw`f(x) = \sum_{n=0}^{\infty} \frac{f^{(n)}(a)}{n!} (x-a)^n = f(a) + f'(a)(x-a) + \frac{f''(a)}{2!}(x-a)^2 + \frac{f'''(a)}{3!}(x-a)^3 + \cdots`;

const mathematics = [
  String.raw`It costs $5 and not $10. For $a_1 * b_2 * c$ with \(x_{i}^2 \in \mathbb{R}\):`,
  String.raw`$$x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$`,
  `\\[\n\\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix} \\cdot v = \\int_0^1 e^{-t^2}\\,dt\n\\]`,
  `Wide: $${wide}$ and`,
  `> $$\n> ${wide}\n> $$`,
  String.raw`| Name | Value |
|---|---|
| \(|x|\) | $\pmb{y} \ne \fcolorbox{red}{white}{z}$ |`,
  String.raw`- **$\alpha$**: in a list, and not a formula: $\frac{1$ and $\unknown{2}$`,
  `In code: \`$x$\`.`,
];

const answer = [
  ...mathematics,
  `\`\`\`python\n${python}\n\`\`\``,
  `\`\`\`ts\n${script}\n\`\`\``,
  ...more,
].join('\n\n');

describe.runIf(hasChromium)('an answer with code and formulas', () => {
  let upstream: Upstream;
  let gateway: RunningGateway;
  let page: Page;
  beforeAll(async () => {
    ({ gateway, upstream } = await startDashboard({
      models: { 'up/good': { inputPrice: 1, outputPrice: 10 } },
    }));
    page = await claimAndOpen(gateway, '/playground');
  });
  afterAll(closeDashboards);

  const ask = async (on: Page, step: Step): Promise<void> => {
    upstream.script([step]);
    await on.getByLabel('Your message').fill('Show me');
    await on.keyboard.press('Enter');
  };
  const answered = (on: Page) => on.getByRole('button', { name: 'A good answer' }).waitFor();

  it.each([
    { theme: 'light' },
    { theme: 'dark' },
    { theme: 'light', width: 390 },
    { theme: 'dark', width: 390 },
  ] as OpenOptions[])('is shown in colours and as mathematics (%j)', async (options) => {
    const other = await signInAndOpen(gateway, '/playground', undefined, options);
    await ask(other, { text: answer.match(/[^]{1,40}/g)! });
    await answered(other);
    await other.locator('.hljs-attr').last().waitFor();
    const shown = other.locator('.answer-text');
    await expect.poll(() => shown.locator('math').count()).toBe(9);
    expect(await shown.locator('math[display=block]').count()).toBe(3);
    await shown.getByText('ℝ').waitFor();
    for (const text of ['It costs $5 and not $10.', '$\\frac{1$', '$\\unknown{2}$', '$x$'])
      await shown.getByText(text).first().waitFor();
    await shown.locator('.hljs-comment', { hasText: '// and $10' }).waitFor();
    expect(await shown.locator('pre', { hasText: 'graph TD' }).locator('span').count()).toBe(0);
    await other.getByRole('button', { name: 'Copy the code' }).first().click();
    expect(await other.evaluate('navigator.clipboard.readText()')).toBe(python);
    expect(await seriousFindings(other)).toEqual([]);
    const width = options.width ?? 1280;
    expect(await other.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const wideOnes = await shown.locator('.formula').all();
    expect(wideOnes).toHaveLength(width === 390 ? 4 : 3);
    for (const one of wideOnes) {
      const { x, width: taken } = (await one.boundingBox())!;
      expect(x + taken).toBeLessThan(width);
    }
    expect(complaintsOf(other)).toEqual([]);
    await other.context().close();
  });

  it('loads the libraries for colours and for formulas where such things are shown', async () => {
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    const loaded = () =>
      asked.flatMap((url) => /assets\/(katex|code-colours)/.exec(url)?.[1] ?? []);
    await ask(page, { text: ['It costs $5 or $10.\n\n```mermaid\ngraph $a$\n```\n\n`$x$`'] });
    await answered(page);
    expect(loaded()).toEqual([]);
    await page.goto(`${gateway.url}/playground`);
    await ask(page, { text: ['```js\nlet a = "$a$";\n```'] });
    await page.locator('.hljs-string').waitFor();
    expect(loaded()).toEqual(['code-colours']);
    await page.goto(`${gateway.url}/playground`);
    await ask(page, { text: ['So \\(x_1\\).'] });
    await page.locator('math').waitFor();
    expect(loaded()).toEqual(['code-colours', 'katex']);
  });

  it('colours code while the answer grows, and shows a formula when it is closed', async () => {
    await page.goto(`${gateway.url}/playground`);
    const text = ['So $a_1$ and $$b_2\n\n```js\nlet a = 1;\n'];
    await ask(page, { text, hang: 'afterContent' });
    await page.locator('math').waitFor();
    await page.locator('.hljs-number').waitFor();
    expect(await page.locator('math').count()).toBe(1);
    await page.getByText('and $$b_2').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
  });

  it.each([
    ['a formula of 1 MB', `$$${'\\frac{a_1}{b^2} + '.repeat(55_000)}$$`],
    ['20,000 marks', '$a$ '.repeat(10_000)],
    ['1,000 long formulas', String.raw`$\sum_{n=0}^{\infty} \frac{f^{(n)}(a)}{n!}$ `.repeat(1_000)],
    ['deep formulas', `$${'x^{'.repeat(1_200)}x${'}'.repeat(1_200)}$`],
    ['broad ones', `$$\\begin{matrix}${'a&'.repeat(2_400)}\\end{matrix}$$`],
    ['nested fractions', `$${'\\frac{1}{'.repeat(400)}x${'}'.repeat(400)}$`],
    ['code of 1 MB', `\`\`\`js\n${'let a = 1;\n'.repeat(90_000)}`],
    ['code of 49 kB', `\`\`\`js\n${'let a = 1;\n'.repeat(4_500)}`],
  ])('is shown soon although it has %s', async (_what, text) => {
    await page.goto(`${gateway.url}/playground`);
    const start = performance.now();
    await ask(page, { text: [text] });
    await answered(page);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(complaintsOf(page)).toEqual([]);
  });
});
