import {
  dropSearchBlocks,
  groqSearch,
  openaiSearch,
  openrouterSearch,
  perplexitySearch,
  zaiSearch,
} from './compatible-search.js';
import { deploymentOf, modelPath } from './called-model.js';
import { renameField } from './fit-parameters.js';
import { parameterRules } from './model-parameters.js';
import { mistralHistory } from './openai-compatible/adapt-messages.js';
import { type CompatibleQuirks, openAICompatible } from './openai-compatible/index.js';
import { openaiResponses } from './openai-responses/index.js';
import { namesIn } from '../text/is-object.js';

/** OpenAI's own API, at OpenAI and on Azure. */
const ofOpenAI: CompatibleQuirks = {
  history: {
    developer: true,
    fields: ['refusal', 'audio', 'annotations'],
    lists: true,
    breakpoints: true,
  },
  longSeeds: true,
  openaiTools: true,
  strictTools: true,
  parameters: parameterRules.openai,
  // what the Responses API alone serves (model pages of November 2026)
  elsewhere: /(^|[/.])(gpt-5(\.\d+)?-(codex|pro)|codex-mini|o[13]-pro)(?![a-z])/i,
};

/** What takes all that OpenAI's dialect has. */
const unlimited: CompatibleQuirks = { longSeeds: true, maxStops: Infinity, strictTools: true };

/** Local servers ignore what they do not know, and templates check how turns follow. */
const ofLocal: CompatibleQuirks = {
  history: { fields: 'all', alternates: true },
  ...unlimited,
  pricesAs: null,
  needsKey: false,
  // a local server bills nothing; by then it has noticed that the client is gone
  cutCallHoldMs: 120_000,
};

/** The URL of an Azure resource, whichever of its API roots was configured. */
const azureResource = (baseUrl: string): string => baseUrl.replace(/\/openai(\/v1)?$/, '');

/** Azure's older resources take the deployment in the path; the v1 API takes it as the model. */
const azureUrl: CompatibleQuirks['urlOf'] = (settings, baseUrl, operation, model) => {
  const root = azureResource(baseUrl);
  if (settings.apiVersion === undefined) return `${root}/openai/v1/${operation}`;
  const name = deploymentOf(settings, model) ?? model;
  const deployment = modelPath(name, settings.name, 'refused');
  return `${root}/openai/deployments/${deployment}/${operation}?api-version=${encodeURIComponent(settings.apiVersion)}`;
};

const ownPaths =
  'responses images audio moderations files batches uploads fine_tuning vector_stores assistants threads realtime videos conversations containers evals';

/**
 * Providers that speak OpenAI's chat API: the value of `api`, and what differs from OpenAI's own.
 */
export const compatibleTable: Readonly<Record<string, CompatibleQuirks>> = {
  openai: {
    maxInputs: 2048,
    env: ['OPENAI_API_KEY'],
    baseUrl: 'https://api.openai.com/v1',
    search: openaiSearch,
    // searches, speech, pictures, the provider's own computer
    unpricedModels:
      /search-(preview|api)|deep-?research|-audio|gpt-audio|audio-preview|realtime|-tts(?![a-z])|transcribe|whisper|computer-use|gpt-image|-image(?![a-z])|dall-e|sora/i,
    otherApi: openaiResponses.create,
    passthroughHeaders: ['openai-beta'],
    ownPaths: ownPaths.split(' ').map((path) => `/v1/${path}`),
    // newer models refuse max_tokens; every model served accepts max_completion_tokens (2026-11)
    length: 'max_completion_tokens',
    ...ofOpenAI,
  },
  // baseUrl is https://<resource>.openai.azure.com; apiVersion selects the older API
  'azure-openai': {
    maxInputs: 2048,
    conventionalName: 'azure.ai.openai',
    pricesAs: 'azure',
    search: openaiSearch,
    otherApi: ({ baseUrl = '', ...settings }) =>
      openaiResponses.create({ ...settings, baseUrl: `${azureResource(baseUrl)}/openai/v1` }),
    keyHeader: 'api-key',
    ...ofOpenAI,
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
    strictTools: true,
    oneAnswer: true,
    parameters: parameterRules.groq,
    // documentation of 2026-11
    history: { names: false },
    // systems that search and run code by themselves
    unpricedModels: /(^|\/)compound/i,
  },
  // refuses unknown fields, stream_options among them; reports usage in streams unasked
  mistral: {
    conventionalName: 'mistral_ai',
    maxInputs: 512,
    env: ['MISTRAL_API_KEY'],
    baseUrl: 'https://api.mistral.ai/v1',
    streamOptions: false,
    pricedFields: ['safe_prompt', 'random_seed', 'prompt_mode'],
    unpricedModels: /-ocr(?![a-z])|voxtral/i,
    length: 'max_tokens',
    // by mistral-common, which checks requests; names of users and assistants are unknown fields
    history: { ...mistralHistory, names: false, started: { prefix: true } },
    maxStops: Infinity,
    strictTools: true,
    parameters: parameterRules.mistral,
    adaptBody: (body) => renameField(body, 'seed', 'random_seed'),
  },
  // reasoning is in reasoning_content, cached tokens in prompt_cache_hit_tokens
  deepseek: {
    env: ['DEEPSEEK_API_KEY'],
    baseUrl: 'https://api.deepseek.com/v1',
    embeddings: false,
    history: { fields: ['reasoning_content'], lists: false },
    maxStops: 16,
    oneAnswer: true,
    parameters: parameterRules.deepseek,
    length: 'max_tokens',
  },
  // a wrong key is answered with 400
  xai: {
    env: ['XAI_API_KEY'],
    baseUrl: 'https://api.x.ai/v1',
    conventionalName: 'x_ai',
    pricesAs: 'x-ai',
    elsewhere: /multi-agent/i,
    history: { fields: ['reasoning_content'] },
    strictTools: true,
    parameters: parameterRules.grok,
    // pictures, speech, agents that search by themselves
    unpricedModels: /grok.*(image|imagine|voice|multi-agent)/i,
  },
  together: {
    env: ['TOGETHER_API_KEY'],
    baseUrl: 'https://api.together.xyz/v1',
    reranking: true,
    length: 'max_tokens',
  },
  fireworks: {
    env: ['FIREWORKS_API_KEY'],
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    reranking: true,
    history: { fields: ['reasoning_content'] },
    length: 'max_tokens',
  },
  // model names contain a slash; errors can follow reasoning in an answer with status 200
  openrouter: {
    env: ['OPENROUTER_API_KEY'],
    baseUrl: 'https://openrouter.ai/api/v1',
    search: openrouterSearch,
    reranking: true,
    history: { developer: true, fields: 'all', cacheControl: true, breakpoints: true, lists: true },
    ...unlimited,
    // Cohere refuses it there (reports of 2026)
    strictTools: /^(?!cohere\/)/,
    adaptBody: dropSearchBlocks,
    // not `provider`, `preset`, `models` and `route`: they choose who serves, and so at what price
    pricedFields: ['transforms', 'usage', 'session_id'],
    // `<model>:online` searches the web before each answer
    unpricedModels: /:online(?![a-z])/i,
    passthroughHeaders: ['http-referer', 'x-title'],
  },
  // answers carry `citations` and `search_results`; paths have no version
  perplexity: {
    env: ['PERPLEXITY_API_KEY'],
    baseUrl: 'https://api.perplexity.ai',
    search: perplexitySearch,
    streamOptions: false,
    embeddings: false,
    modelList: false,
    history: { alternates: true, names: false, started: 'user' },
    oneAnswer: true,
    parameters: parameterRules.perplexity,
    // every model searches, for a fee on each request
    unpricedModels: /(^|[/-])sonar(?![a-z])|-online(?![a-z])/i,
    length: 'max_tokens',
  },
  cerebras: {
    env: ['CEREBRAS_API_KEY'],
    baseUrl: 'https://api.cerebras.ai/v1',
    embeddings: false,
    parameters: parameterRules.cerebras,
  },
  // NIM as NVIDIA hosts it; set baseUrl for your own NIM container
  nvidia: {
    env: ['NVIDIA_API_KEY'],
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    pricesAs: null,
    history: { fields: ['reasoning_content'], alternates: true },
    parameters: parameterRules.vllm,
    length: 'max_tokens',
  },
  // the router of Hugging Face's inference providers
  huggingface: {
    env: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'],
    baseUrl: 'https://router.huggingface.co/v1',
    pricesAs: null,
    embeddings: false,
    length: 'max_tokens',
  },
  // Kimi
  moonshot: {
    env: ['MOONSHOT_API_KEY'],
    baseUrl: 'https://api.moonshot.ai/v1',
    unopenedImages: /^https?:/i,
    pricesAs: 'moonshotai',
    embeddings: false,
    history: { fields: ['reasoning_content'], started: { partial: true } },
    maxStops: 5,
    parameters: parameterRules.kimi,
  },
  // GLM; the version of the API is already in the path
  zai: {
    maxInputs: 64,
    env: ['ZAI_API_KEY'],
    baseUrl: 'https://api.z.ai/api/paas/v4',
    search: zaiSearch,
    history: { fields: ['reasoning_content'] },
    maxStops: 1,
    oneAnswer: true,
    parameters: parameterRules.glm,
    length: 'max_tokens',
  },
  // Qwen in Alibaba Cloud Model Studio, the international endpoint
  alibaba: {
    maxInputs: 10,
    env: ['DASHSCOPE_API_KEY'],
    history: { fields: ['reasoning_content'], cacheControl: true, started: { partial: true } },
    parameters: parameterRules.qwen,
    // the first Qwen3 refuse to reason unless they stream
    adaptBody(body) {
      const refuses = /^qwen3-[\d.]+b(?!.*thinking)/i.test(String(body['model']));
      if (refuses && !body['stream']) body['enable_thinking'] ??= false;
    },
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    length: 'max_tokens',
  },
  // local; OLLAMA_API_KEY is for Ollama's hosted models, which need their own baseUrl
  ollama: {
    baseUrl: 'http://127.0.0.1:11434/v1',
    unopenedImages: /^https?:/i,
    ...ofLocal,
    length: 'max_tokens',
  },
  lmstudio: {
    baseUrl: 'http://127.0.0.1:1234/v1',
    ...ofLocal,
    length: 'max_tokens',
  },
  vllm: {
    baseUrl: 'http://127.0.0.1:8000/v1',
    ...ofLocal,
    reranking: true,
    parameters: parameterRules.vllm,
    // not `best_of`: it writes answers that the client never sees
    pricedFields: namesIn(`
      chat_template_kwargs guided_choice guided_grammar guided_json guided_regex
      structured_outputs min_tokens ignore_eos skip_special_tokens stop_token_ids
    `),
  },
  // any other server that speaks OpenAI's chat API
  'openai-compatible': {
    reranking: true,
    pricesAs: null,
    needsKey: false,
    history: { fields: 'all', cacheControl: true, lists: true },
    openaiTools: true,
    ...unlimited,
    // clients that Stainless generated (OpenAI's, Anthropic's and many others) send these
    passthroughHeaders: ['x-stainless-*', 'idempotency-key'],
    ownPaths: ['/v1/responses'],
  },
};

/** The dialects of the table, in its order. A new provider is one row. */
export const compatibleDialects = Object.entries(compatibleTable).map(([api, quirks]) =>
  openAICompatible(api, quirks),
);
