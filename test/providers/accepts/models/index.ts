import type { Acceptance } from '../acceptance.js';
import { anthropic } from './anthropic.js';
import { bedrock } from './bedrock.js';
import { cohere } from './cohere.js';
import { gemini } from './gemini.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';

/** What each dialect accepts, by the value of `api`. */
export const acceptances: ReadonlyMap<string, Acceptance> = new Map([
  ['anthropic', anthropic],
  ['bedrock', bedrock],
  ['cohere', cohere],
  ['gemini', gemini],
  ['vertex', gemini],
  ['openai-responses', openaiResponses],
  ...openaiChat,
]);
