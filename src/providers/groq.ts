import { openAICompatible } from './openai-compatible/index.js';

/** Groq. A failed tool call comes as an error event after some text. */
export const groq = openAICompatible('groq', {
  env: ['GROQ_API_KEY'],
  baseUrl: 'https://api.groq.com/openai/v1',
  embeddings: false,
});
