import { expect, it } from 'vitest';
import { createKeyCommand } from '../../src/cli/keys.js';
import { resolveConfig } from '../../src/config/config.js';
import { longestAnswersOf, rules } from '../../src/gateway.js';
import { openStore } from '../../src/store/open-store.js';

it('says for how many longest answers of the usual models a budget pays', async () => {
  const store = await openStore(':memory:');
  const said: string[] = [];
  const config = resolveConfig(
    {
      providers: { up: { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' } },
      models: { 'up/gpt-4.1': { inputPrice: 2, outputPrice: 8 } },
    },
    {},
    rules,
  );
  const answers = longestAnswersOf(config, { OPENAI_API_KEY: 'k' });
  expect(answers.map(({ model }) => model)).toContain('up/gpt-4.1');
  const known = answers.filter(({ model }) => model === 'up/gpt-4.1');
  const options = { name: 'shop', dayBudget: '5' };
  const key = await createKeyCommand(store, options, known, (line) => said.push(line));
  // 32,768 tokens for 8 USD a million
  expect(said).toEqual(['5 USD pay for 19 longest answers of up/gpt-4.1']);
  expect(key).toMatch(/^sk_\S+\n$/);
  await createKeyCommand(store, { name: 'free' }, known, (line) => said.push(line));
  expect(said).toHaveLength(1);
  await store.close();
});
