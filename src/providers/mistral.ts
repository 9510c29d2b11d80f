import { openAICompatible } from './openai-compatible/index.js';

/** Mistral. It refuses fields that it does not know, `stream_options` among them, and reports usage in streams unasked. */
export const mistral = openAICompatible('mistral', {
  env: ['MISTRAL_API_KEY'],
  baseUrl: 'https://api.mistral.ai/v1',
  streamOptions: false,
  adaptBody(body) {
    if (body['max_completion_tokens'] !== undefined) {
      body['max_tokens'] ??= body['max_completion_tokens'];
      delete body['max_completion_tokens'];
    }
    if (body['seed'] !== undefined) {
      body['random_seed'] ??= body['seed'];
      delete body['seed'];
    }
  },
});
