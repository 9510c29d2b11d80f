import { openAICompatible } from './openai-compatible/index.js';

/** Fireworks AI. */
export const fireworks = openAICompatible('fireworks', {
  env: ['FIREWORKS_API_KEY'],
  baseUrl: 'https://api.fireworks.ai/inference/v1',
});
