import { openAICompatible } from './openai-compatible/index.js';

/** DeepSeek: reasoning in `reasoning_content`, cached tokens in `prompt_cache_hit_tokens`. */
export const deepseek = openAICompatible('deepseek', {
  env: ['DEEPSEEK_API_KEY'],
  baseUrl: 'https://api.deepseek.com/v1',
  embeddings: false,
});
