import { openAICompatible } from './openai-compatible/index.js';

/** xAI. Recorded streams end without `[DONE]` at times; a bad key is answered with 400. */
export const xai = openAICompatible('xai', {
  env: ['XAI_API_KEY'],
  baseUrl: 'https://api.x.ai/v1',
  pricesAs: 'x-ai',
  endsWithDone: false,
});
