import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt } from '../helpers/json.js';
import { post } from '../helpers/sse.js';

const prompt = 'Prove that every group of order 15 is cyclic.';
const log = keepingLogger();
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway(
    {
      models: {
        'local/misspelt': { ability: 'openai/gpt-5-minni' },
        'local/at-high': { ability: 'gpt-5-high' },
        'local/ours': { ability: 'openai/gpt-5-mini' },
        'anthropic/claude-haiku-4-5': { ability: 3 },
      },
    },
    { logger: log.logger },
  );
});
afterAll(() => gateway.close());

/** What is expected of some models, by label. */
async function explained(labels: string[]): Promise<(label: string, field: string) => unknown> {
  const llm_providers = labels.map((label) => {
    const [provider, ...model] = label.split('/');
    return { provider, model: model.join('/') };
  });
  const { json } = await post(
    `${gateway.url}/api/v1/model-select?explain=true`,
    { messages: [{ role: 'user', content: prompt }], llm_providers },
    gateway.auth,
  );
  const candidates = listAt(json, 'candidates');
  return (label, field) =>
    at(
      candidates.find((one) => at(one, 'label') === label),
      field,
    );
}

describe('an ability that the configuration states', () => {
  it('is warned of at the start where no table has the name that it gives', () => {
    const warnings = log.lines
      .map((line) => String(line['msg']))
      .filter((one) => /ability/.test(one));
    expect(warnings).toEqual([
      expect.stringMatching(/^models\[\"local\/misspelt\"\]\.ability .*gpt-5-mini\?$/),
    ]);
  });

  it('is that of the named model, at its effort and for all names of the stated one', async () => {
    const of = await explained([
      'local/at-high',
      'local/ours',
      'openai/gpt-5',
      'openai/gpt-5-mini',
      'anthropic/claude-haiku-4-5',
      'anthropic/claude-haiku-4-5-20251001',
    ]);
    expect(of('local/at-high', 'quality')).toBeGreaterThanOrEqual(
      Number(of('openai/gpt-5', 'quality')),
    );
    for (const field of ['quality', 'output_tokens'])
      expect(of('local/ours', field)).toBe(of('openai/gpt-5-mini', field));
    expect(of('anthropic/claude-haiku-4-5-20251001', 'quality')).toBe(
      of('anthropic/claude-haiku-4-5', 'quality'),
    );
    expect(of('anthropic/claude-haiku-4-5', 'quality')).toBeGreaterThan(
      Number(of('openai/gpt-5', 'quality')),
    );
  });
});
