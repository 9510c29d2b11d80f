import { openAICompatible } from './openai-compatible/index.js';

/** NVIDIA NIM, hosted; `baseUrl` points it at a NIM container of your own. */
export const nvidia = openAICompatible('nvidia', {
  env: ['NVIDIA_API_KEY'],
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  pricesAs: null,
});
