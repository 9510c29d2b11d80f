import { describe, expect, it } from 'vitest';
import { createFindModel } from '../../../src/routing/learned/known-models.js';

const models = ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06', 'claude-3-5-sonnet-20240620', 'llama-3.1-8b-instruct', 'gpt-4o-mini-2024-07-18'];
const find = createFindModel(models);

describe('a candidate\'s name', () => {
  it.each(['openai/gpt-4o-2024-08-06', 'gpt-4o-2024-08-06', 'gpt-4o', 'azure/gpt-4o', 'GPT-4o', 'gpt-4o-2024-11-20'])('%s is GPT-4o, the newest version that was measured', (name) => {
    expect(models[find(name)]).toBe('gpt-4o-2024-08-06');
  });

  it('finds the very version where it was measured', () => {
    expect(models[find('gpt-4o-2024-05-13')]).toBe('gpt-4o-2024-05-13');
  });

  it.each(['eu.anthropic.claude-3-5-sonnet-20240620-v1:0', 'anthropic/claude-3.5-sonnet', 'claude-3-5-sonnet@20240620'])('%s is the same model on another cloud', (name) => {
    expect(models[find(name)]).toBe('claude-3-5-sonnet-20240620');
  });

  it.each(['llama3.1:8b', 'meta-llama/Llama-3.1-8B-Instruct', 'accounts/fireworks/models/llama-v3p1-8b-instruct'])('%s is the same open model elsewhere', (name) => {
    expect(models[find(name)]).toBe('llama-3.1-8b-instruct');
  });

  it.each(['gpt-5', 'my-own-model', '', 'x'.repeat(100_000)])('is no known model where nobody measured it', (name) => {
    expect(find(name)).toBe(-1);
  });
});
