import { describe, expect, it } from 'vitest';
import { appraise } from '../../src/chooser/appraise.js';
import { habitsOf } from '../../src/models/model-habits.js';
import { createCatalog } from '../../src/models/catalog.js';
import { createLatencyWindow } from '../../src/models/latency-window.js';
import { abilityOf } from '../../src/chooser/outlook/ability-of.js';
import { shippedAbilities, type ModelAbility } from '../../src/chooser/outlook/model-abilities.js';
import type { Appraisal } from '../../src/chooser/plan.js';

const sources = {
  catalog: createCatalog({ priceIds: { ollama: null, bedrock: 'aws', sap: null } }),
  latencies: createLatencyWindow(),
};
const appraised = (label: string): Appraisal => {
  const [provider, ...model] = label.split('/');
  return appraise(
    { label, provider: provider!, model: model.join('/') },
    { promptTokens: 10 },
    sources,
  );
};
const abilityAt = (label: string): ModelAbility => abilityOf(shippedAbilities(), appraised(label));
const habitsAt = (label: string) => habitsOf(appraised(label).knownAs);

describe('one model under several names', () => {
  it.each([
    ['bedrock/deepseek.v3-v1:0', 'deepseek/deepseek-v3.1'],
    ['bedrock/us.deepseek.r1-v1:0', 'deepseek/deepseek-r1'],
    ['sap/anthropic--claude-4.5-sonnet', 'anthropic/claude-sonnet-4-5'],
    ['ollama/deepseek-r1:1.5b', 'together/deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B'],
    ['ollama/deepseek-r1:70b', 'groq/deepseek-r1-distill-llama-70b'],
    ['openrouter/z-ai/glm-5-20260211', 'zai/glm-5'],
    ['mistral/mistral-medium-latest', 'mistral/mistral-medium-3-5'],
  ])('%s has the ability, the tokens and the facts of %s', (name, other) => {
    expect(abilityAt(name)).toEqual(abilityAt(other));
    expect(habitsAt(name)).toEqual(habitsAt(other));
    const { tools, images } = appraised(other);
    expect(appraised(name)).toMatchObject({ tools, images });
  });

  it('does not lend the ability of DeepSeek-R1 to small models that were trained on its answers', () => {
    const full = abilityAt('deepseek/deepseek-r1').ability;
    const older = abilityAt('deepseek/deepseek-v3').ability;
    const sizes = ['1.5b', '7b', '8b', '14b', '32b', '70b'];
    const tags = sizes.map((size) => abilityAt(`ollama/deepseek-r1:${size}`).ability);
    expect([...tags].sort((a, b) => a - b)).toEqual(tags);
    for (const ability of tags) expect(ability).toBeLessThan(Math.min(full, older));
    // without a tag, Ollama serves the one of 8 billion parameters
    for (const bare of ['ollama/deepseek-r1', 'ollama/deepseek-r1:latest'])
      expect(abilityAt(bare)).toEqual(abilityAt('ollama/deepseek-r1:8b'));
    const unowned = createCatalog({}).lookup(null, 'ollama/deepseek-r1');
    expect(unowned.knownAs).toBe('deepseek-r1-8b');
    expect(habitsAt('ollama/deepseek-r1:8b').reasoning[4]).toBeGreaterThan(0);
  });

  it('reasons as its variant says', () => {
    const plain = appraised('openrouter/anthropic/claude-sonnet-4.5');
    const thinking = appraised('openrouter/anthropic/claude-sonnet-4.5:thinking');
    expect([plain.effort, thinking.effort]).toEqual([null, 'high']);
    expect(thinking.rates).toEqual(plain.rates);
  });
});
