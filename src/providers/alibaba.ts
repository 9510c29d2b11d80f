import { openAICompatible } from './openai-compatible/index.js';

/** Alibaba Cloud Model Studio (Qwen), the international endpoint. */
export const alibaba = openAICompatible('alibaba', {
  env: ['DASHSCOPE_API_KEY'],
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  pricesAs: null,
});
