import { openAICompatible } from './openai-compatible/index.js';

/** Perplexity: answers come with `citations` and `search_results`, a recorded stream without `[DONE]`. Its paths have no version. */
export const perplexity = openAICompatible('perplexity', {
  env: ['PERPLEXITY_API_KEY'],
  baseUrl: 'https://api.perplexity.ai',
  streamOptions: false,
  endsWithDone: false,
  embeddings: false,
});
