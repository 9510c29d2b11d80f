import { openAICompatible } from './openai-compatible/index.js';

/** Z.ai (GLM). Its API's version is in the path already. */
export const zai = openAICompatible('zai', {
  env: ['ZAI_API_KEY'],
  baseUrl: 'https://api.z.ai/api/paas/v4',
});
