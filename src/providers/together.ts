import { openAICompatible } from './openai-compatible/index.js';

/** Together AI. */
export const together = openAICompatible('together', {
  env: ['TOGETHER_API_KEY'],
  baseUrl: 'https://api.together.xyz/v1',
});
