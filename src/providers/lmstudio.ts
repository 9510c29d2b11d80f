import { openAICompatible } from './openai-compatible/index.js';

/** A local LM Studio. */
export const lmstudio = openAICompatible('lmstudio', {
  baseUrl: 'http://127.0.0.1:1234/v1',
  pricesAs: null,
  needsKey: false,
});
