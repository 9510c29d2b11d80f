import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  claimAndOpen,
  complaintsOf,
  hasChromium,
  seriousFindings,
  signInAndOpen,
} from '../helpers/chromium.js';
import { closeDashboards, startDashboard } from '../helpers/dashboard.js';
import type { RunningGateway } from '../helpers/gateway.js';
import type { Upstream } from '../helpers/upstream.js';

describe.runIf(hasChromium)('the page of models and providers', () => {
  let gateway: RunningGateway;
  let upstream: Upstream;
  beforeAll(async () => {
    ({ gateway, upstream } = await startDashboard({
      models: {
        'up/gpt-4o': { inputPrice: 2.5, outputPrice: 10, contextLength: 128_000 },
        'up/cheap': { inputPrice: 0.1, outputPrice: 0.2, quality: 0.4 },
        'up/never-heard-of': {},
      },
      aliases: { smart: ['up/gpt-4o'] },
    }));
  });
  afterAll(closeDashboards);

  it('shows prices, abilities with what they rest on, and tests a provider', async () => {
    const page = await claimAndOpen(gateway, '/models');
    const row = page.getByRole('row', { name: /gpt-4o/ });
    await row.getByText('$2.50 in · $10.00 out').waitFor();
    await row.getByText('alias smart').waitFor();
    await row.getByText('measured').waitFor();
    await page.getByRole('button', { name: 'Details: up/gpt-4o' }).click();
    await page.getByText('coding').waitFor();
    await page.getByRole('button', { name: 'Test up with a tiny request' }).click();
    await page.getByText(/up\/cheap answered in/).waitFor();
    await page
      .getByRole('row', { name: /openai-compatible/ })
      .getByText('working')
      .waitFor();
    expect(complaintsOf(page)).toEqual([]);
  });

  it('shows a model that the provider does not have as the error of the model', async () => {
    const page = await signInAndOpen(gateway, '/models');
    upstream.script([{ status: 404 }]);
    await page.getByRole('button', { name: 'Test up with a tiny request' }).click();
    await page.getByText('answered 404 for the model cheap').waitFor();
    const provider = page.getByRole('row', { name: /openai-compatible/ });
    await provider.getByText('working').waitFor();
  });

  it('finds a model by its name, and says what to do where none matches', async () => {
    const page = await signInAndOpen(gateway, '/models');
    await page.getByRole('searchbox').fill('never');
    await page
      .getByRole('row', { name: /never-heard-of/ })
      .getByText('guess')
      .waitFor();
    await page.getByRole('searchbox').fill('no such model');
    await page.getByText('No model matches').waitFor();
  });

  it.each(['light', 'dark'] as const)('has no serious finding of axe (%s)', async (theme) => {
    for (const width of [1280, 390]) {
      const page = await signInAndOpen(gateway, '/models', undefined, { theme, width });
      await page.getByRole('button', { name: 'Details: up/gpt-4o' }).click();
      await page.getByText('coding').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    }
  });
});
