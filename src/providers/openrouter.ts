import { openAICompatible } from './openai-compatible/index.js';

/** OpenRouter: model names hold a slash of their own; errors can follow reasoning inside a 200. */
export const openrouter = openAICompatible('openrouter', {
  env: ['OPENROUTER_API_KEY'],
  baseUrl: 'https://openrouter.ai/api/v1',
});
