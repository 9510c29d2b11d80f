import type { ProviderSettings } from './adapter.js';
import {
  dropSearchBlocks,
  groqSearch,
  openaiSearch,
  openrouterSearch,
  perplexitySearch,
  zaiSearch,
} from './compatible-search.js';
import { deploymentOf, modelPath } from './called-model.js';
import { type CompatibleQuirks, openAICompatible } from './openai-compatible/index.js';

/** Renames a field of a request's body, unless the caller also gave the new one. */
function renameField(body: Record<string, unknown>, from: string, to: string): void {
  if (body[from] === undefined) return;
  body[to] ??= body[from];
  // JSON omits it
  body[from] = undefined;
}

/** For APIs that document only the older field, and may ignore the newer one. */
const olderLength = (body: Record<string, unknown>): void =>
  renameField(body, 'max_completion_tokens', 'max_tokens');

/** The URL of an Azure resource, whichever of its API roots was configured. */
const azureResource = (baseUrl: string): string => baseUrl.replace(/\/openai(\/v1)?$/, '');

/** Azure's older resources take the deployment in the path; the v1 API takes it as the model. */
function azureUrl(
  settings: ProviderSettings,
  baseUrl: string,
  operation: string,
  model: string,
): string {
  const root = azureResource(baseUrl);
  if (settings.apiVersion === undefined) return `${root}/openai/v1/${operation}`;
  const name = deploymentOf(settings, model) ?? model;
  const deployment = modelPath(name, settings.name, 'refused');
  return `${root}/openai/deployments/${deployment}/${operation}?api-version=${encodeURIComponent(settings.apiVersion)}`;
}

/**
 * Providers that speak OpenAI's chat API: the value of `api`, and what differs from OpenAI's own.
 */
const table: Readonly<Record<string, CompatibleQuirks>> = {
  openai: {
    env: ['OPENAI_API_KEY'],
    baseUrl: 'https://api.openai.com/v1',
    search: openaiSearch,
    // searches, speech, pictures, the provider's own computer
    unpricedModels:
      /search-(preview|api)|deep-?research|-audio|gpt-audio|audio-preview|realtime|-tts(?![a-z])|transcribe|whisper|computer-use|gpt-image|-image(?![a-z])|dall-e|sora/i,
    passthroughHeaders: ['openai-beta'],
    ownPaths: [
      'responses',
      'completions',
      'images',
      'audio',
      'moderations',
      'files',
      'batches',
    ].map((path) => `/v1/${path}`),
    // newer models refuse max_tokens; every model served accepts max_completion_tokens (2026-11)
    adaptBody: (body) => renameField(body, 'max_tokens', 'max_completion_tokens'),
  },
  // baseUrl is https://<resource>.openai.azure.com; apiVersion selects the older API
  'azure-openai': {
    pricesAs: 'azure',
    search: openaiSearch,
    keyHeader: 'api-key',
    // lists every model of the region, deployed or not
    modelList: false,
    urlOf: azureUrl,
  },
  // reports a failed tool call as an error event after some text
  groq: {
    env: ['GROQ_API_KEY'],
    baseUrl: 'https://api.groq.com/openai/v1',
    search: groqSearch,
    embeddings: false,
    pricedFields: ['reasoning_format', 'include_reasoning', 'disable_tool_validation'],
    // systems that search and run code by themselves
    unpricedModels: /(^|\/)compound/i,
  },
  // refuses unknown fields, stream_options among them; reports usage in streams unasked
  mistral: {
    env: ['MISTRAL_API_KEY'],
    baseUrl: 'https://api.mistral.ai/v1',
    streamOptions: false,
    pricedFields: ['safe_prompt', 'random_seed', 'prompt_mode'],
    unpricedModels: /-ocr(?![a-z])|voxtral/i,
    adaptBody(body) {
      olderLength(body);
      renameField(body, 'seed', 'random_seed');
    },
  },
  // reasoning is in reasoning_content, cached tokens in prompt_cache_hit_tokens
  deepseek: {
    env: ['DEEPSEEK_API_KEY'],
    baseUrl: 'https://api.deepseek.com/v1',
    embeddings: false,
    adaptBody: olderLength,
  },
  // some recorded streams end without [DONE]; a wrong key is answered with 400
  xai: {
    env: ['XAI_API_KEY'],
    baseUrl: 'https://api.x.ai/v1',
    pricesAs: 'x-ai',
    endsWithDone: false,
    // pictures, speech, agents that search by themselves
    unpricedModels: /grok.*(image|imagine|voice|multi-agent)/i,
  },
  together: {
    env: ['TOGETHER_API_KEY'],
    baseUrl: 'https://api.together.xyz/v1',
    adaptBody: olderLength,
  },
  fireworks: {
    env: ['FIREWORKS_API_KEY'],
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    adaptBody: olderLength,
  },
  // model names contain a slash; errors can follow reasoning in an answer with status 200
  openrouter: {
    env: ['OPENROUTER_API_KEY'],
    baseUrl: 'https://openrouter.ai/api/v1',
    search: openrouterSearch,
    adaptBody: dropSearchBlocks,
    // not `provider`, `preset`, `models` and `route`: they choose who serves, and so at what price
    pricedFields: ['transforms', 'usage', 'session_id'],
    // `<model>:online` searches the web before each answer
    unpricedModels: /:online(?![a-z])/i,
    passthroughHeaders: ['http-referer', 'x-title'],
  },
  // answers carry `citations` and `search_results`; a recorded stream ends without [DONE]; paths
  // have no version
  perplexity: {
    env: ['PERPLEXITY_API_KEY'],
    baseUrl: 'https://api.perplexity.ai',
    search: perplexitySearch,
    streamOptions: false,
    endsWithDone: false,
    embeddings: false,
    modelList: false,
    // every model searches, for a fee on each request
    unpricedModels: /(^|[/-])sonar(?![a-z])|-online(?![a-z])/i,
    adaptBody: olderLength,
  },
  cerebras: {
    env: ['CEREBRAS_API_KEY'],
    baseUrl: 'https://api.cerebras.ai/v1',
    embeddings: false,
  },
  // NIM as NVIDIA hosts it; set baseUrl for your own NIM container
  nvidia: {
    env: ['NVIDIA_API_KEY'],
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    pricesAs: null,
    adaptBody: olderLength,
  },
  // the router of Hugging Face's inference providers
  huggingface: {
    env: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'],
    baseUrl: 'https://router.huggingface.co/v1',
    pricesAs: null,
    embeddings: false,
    adaptBody: olderLength,
  },
  // Kimi
  moonshot: {
    env: ['MOONSHOT_API_KEY'],
    baseUrl: 'https://api.moonshot.ai/v1',
    pricesAs: 'moonshotai',
    embeddings: false,
  },
  // GLM; the version of the API is already in the path
  zai: {
    env: ['ZAI_API_KEY'],
    baseUrl: 'https://api.z.ai/api/paas/v4',
    search: zaiSearch,
    adaptBody: olderLength,
  },
  // Qwen in Alibaba Cloud Model Studio, the international endpoint
  alibaba: {
    env: ['DASHSCOPE_API_KEY'],
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    pricesAs: null,
    adaptBody: olderLength,
  },
  // local; OLLAMA_API_KEY is for Ollama's hosted models, which need their own baseUrl
  ollama: {
    baseUrl: 'http://127.0.0.1:11434/v1',
    pricesAs: null,
    needsKey: false,
    adaptBody: olderLength,
  },
  lmstudio: {
    baseUrl: 'http://127.0.0.1:1234/v1',
    pricesAs: null,
    needsKey: false,
    adaptBody: olderLength,
  },
  vllm: {
    baseUrl: 'http://127.0.0.1:8000/v1',
    pricesAs: null,
    needsKey: false,
    // not `best_of`: it writes answers that the client never sees
    pricedFields: [
      'chat_template_kwargs',
      'guided_choice',
      'guided_grammar',
      'guided_json',
      'guided_regex',
      'structured_outputs',
      'min_tokens',
      'ignore_eos',
      'skip_special_tokens',
      'stop_token_ids',
    ],
  },
  // any other server that speaks OpenAI's chat API
  'openai-compatible': {
    pricesAs: null,
    needsKey: false,
    // clients that Stainless generated (OpenAI's, Anthropic's and many others) send these
    passthroughHeaders: ['x-stainless-*', 'idempotency-key'],
    ownPaths: ['/v1/completions', '/v1/responses'],
  },
};

/** The dialects of the table, in its order. A new provider is one row. */
export const compatibleDialects = Object.entries(table).map(([api, quirks]) =>
  openAICompatible(api, quirks),
);
