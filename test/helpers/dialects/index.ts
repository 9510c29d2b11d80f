import { anthropic } from './anthropic.js';
import { bedrock } from './bedrock.js';
import { cohere } from './cohere.js';
import type { Dialect } from './dialect.js';
import { gemini } from './gemini.js';
import { openaiChat, openaiEmbeddings } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';

/** All dialects of the scripted upstream. */
const dialects: readonly Dialect[] = [
  openaiChat,
  openaiEmbeddings,
  anthropic,
  gemini,
  bedrock,
  cohere,
  openaiResponses,
];

/** The dialect that is spoken at a path (with or without a query), or undefined. */
export function dialectOf(path: string): Dialect | undefined {
  const bare = path.replace(/[?#].*$/, '');
  return dialects.find((dialect) => dialect.matches(bare));
}
