import { openAICompatible } from './openai-compatible/index.js';

/** Moonshot AI (Kimi). */
export const moonshot = openAICompatible('moonshot', {
  env: ['MOONSHOT_API_KEY'],
  baseUrl: 'https://api.moonshot.ai/v1',
  pricesAs: 'moonshotai',
  embeddings: false,
});
