import { openAICompatible } from './openai-compatible/index.js';

/** A vLLM server. */
export const vllm = openAICompatible('vllm', {
  baseUrl: 'http://127.0.0.1:8000/v1',
  pricesAs: null,
  needsKey: false,
});
