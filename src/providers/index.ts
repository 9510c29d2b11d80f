import type { ProviderDialect } from './adapter.js';
import { alibaba } from './alibaba.js';
import { anthropic } from './anthropic/index.js';
import { azureOpenAI } from './azure-openai.js';
import { bedrock } from './bedrock/index.js';
import { cerebras } from './cerebras.js';
import { cohere } from './cohere/index.js';
import { deepseek } from './deepseek.js';
import { fireworks } from './fireworks.js';
import { gemini } from './gemini/index.js';
import { groq } from './groq.js';
import { huggingface } from './huggingface.js';
import { lmstudio } from './lmstudio.js';
import { mistral } from './mistral.js';
import { moonshot } from './moonshot.js';
import { nvidia } from './nvidia.js';
import { ollama } from './ollama.js';
import { openAICompatible } from './openai-compatible/index.js';
import { openaiResponses } from './openai-responses/index.js';
import { openai } from './openai.js';
import { openrouter } from './openrouter.js';
import { perplexity } from './perplexity.js';
import { together } from './together.js';
import { vertex } from './gemini/vertex.js';
import { vllm } from './vllm.js';
import { xai } from './xai.js';
import { zai } from './zai.js';

const all: readonly ProviderDialect[] = [
  openai,
  anthropic,
  gemini,
  vertex,
  bedrock,
  cohere,
  azureOpenAI,
  openaiResponses,
  groq,
  mistral,
  deepseek,
  xai,
  together,
  fireworks,
  openrouter,
  perplexity,
  cerebras,
  nvidia,
  huggingface,
  moonshot,
  zai,
  alibaba,
  ollama,
  lmstudio,
  vllm,
  openAICompatible('openai-compatible', { pricesAs: null, needsKey: false }),
];

/** Every dialect by the name that `api` gives it in the configuration: a new provider is one line here and one file beside. */
export const dialects: ReadonlyMap<string, ProviderDialect> = new Map(
  all.map((dialect) => [dialect.api, dialect]),
);
