import { openAICompatible } from './openai-compatible/index.js';

/** A local Ollama. `OLLAMA_API_KEY` is for its hosted models; point `baseUrl` there. */
export const ollama = openAICompatible('ollama', {
  baseUrl: 'http://127.0.0.1:11434/v1',
  pricesAs: null,
  needsKey: false,
});
