import { openAICompatible } from './openai-compatible/index.js';

/** Hugging Face's router of inference providers. */
export const huggingface = openAICompatible('huggingface', {
  env: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'],
  baseUrl: 'https://router.huggingface.co/v1',
  pricesAs: null,
  embeddings: false,
});
