import type { ProviderDialect } from './adapter.js';
import { anthropic } from './anthropic/index.js';
import { bedrock } from './bedrock/index.js';
import { cohere } from './cohere/index.js';
import { compatibleDialects } from './compatible.js';
import { gemini, vertex } from './gemini/index.js';
import { openaiResponses } from './openai-responses/index.js';

// the order in which providers are detected, and so the order of model lists and automatic
// candidates
const all = [
  ...compatibleDialects.slice(0, 1),
  anthropic,
  gemini,
  vertex,
  bedrock,
  cohere,
  openaiResponses,
  ...compatibleDialects.slice(1),
];

/**
 * Every dialect by the value of `api` in the configuration. A provider that speaks OpenAI's chat
 * API is a row in compatible.ts; any other is a folder and an entry here.
 */
export const dialects: ReadonlyMap<string, ProviderDialect> = new Map(
  all.map((dialect) => [dialect.api, dialect]),
);
