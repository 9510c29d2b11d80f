import { openAICompatible } from './openai-compatible/index.js';

/** Cerebras. */
export const cerebras = openAICompatible('cerebras', {
  env: ['CEREBRAS_API_KEY'],
  baseUrl: 'https://api.cerebras.ai/v1',
  embeddings: false,
});
