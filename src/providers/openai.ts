import { openAICompatible } from './openai-compatible/index.js';

/** OpenAI's own chat API. Its newer models refuse `max_tokens`, and all that are served take `max_completion_tokens` (2026-11). */
export const openai = openAICompatible('openai', {
  env: ['OPENAI_API_KEY'],
  baseUrl: 'https://api.openai.com/v1',
  adaptBody(body) {
    if (body['max_tokens'] === undefined) return;
    body['max_completion_tokens'] ??= body['max_tokens'];
    delete body['max_tokens'];
  },
});
