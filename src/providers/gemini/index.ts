import type {
  ListedModel,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import { type EmbeddingWire, googleEmbeddings } from './embeddings.js';
import { googleErrorBody } from './failure.js';
import { geminiReaders } from './events.js';
import { operationOf, toGenerateContent } from './request.js';
import { authHeaders, upstreamPost } from '../upstream-post.js';
import { modelList } from '../model-list.js';
import { deploymentOf, modelPath } from '../called-model.js';
import { geminiSearch } from './web-search.js';
import { modelTypeOf } from '../model-type.js';

export { vertex } from './vertex.js';

const defaultBaseUrl = 'https://generativelanguage.googleapis.com/v1beta';
const keyHeader = 'x-goog-api-key';

/** Google's Gemini API, which takes an API key. */
export const gemini: ProviderDialect = {
  api: 'gemini',
  env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  baseUrl: defaultBaseUrl,
  conventionalName: 'gcp.gemini',
  pricesAs: 'google',
  needsKey: true,
  keyHeader,
  // neither `generationConfig`, which may hold any limit, nor cached content of any length
  pricedFields: ['safetySettings', 'labels'],
  // pictures, films, speech, searches
  unpricedModels:
    /-image(?![a-z])|imagen|veo-|lyria|-tts(?![a-z])|native-audio|(^|[/-])live(?![a-z])|computer-use|deep-research|omni|(^|\/)aqa$/i,
  passthroughHeaders: ['x-goog-api-client', 'x-goog-upload-*'],
  ownPaths: ['/v1beta', '/v1alpha', '/upload/v1beta'],
  errorBody: googleErrorBody,
  create: createGemini,
};

type Post = (
  model: string,
  operation: string,
  body: object,
  apiKey: string | null,
) => UpstreamRequest;

function createGemini(settings: ProviderSettings): ProviderAdapter {
  const provider = settings.name;
  const root = settings.baseUrl ?? defaultBaseUrl;
  const resourceName = (model: string): string => {
    const name = deploymentOf(settings, model) ?? model;
    return /^(models|tunedModels)\//.test(name) ? name : `models/${name}`;
  };
  const post: Post = (model, operation, body, apiKey) =>
    upstreamPost(
      `${root}/${modelPath(model, provider)}${operation}`,
      body,
      authHeaders(apiKey, settings, keyHeader),
      {},
    );
  return {
    name: provider,
    ...geminiReaders(provider),
    buildRequest({ request, model, stream }, apiKey) {
      const name = resourceName(model);
      return post(
        name,
        operationOf(stream),
        toGenerateContent(request, name, { provider, callIds: true, searchFilter: 'time' }),
        apiKey,
      );
    },
    webSearch: (model) => geminiSearch(resourceName(model)) ?? geminiSearch(model),
    passthrough: { baseUrl: root, headers: (apiKey) => authHeaders(apiKey, settings, keyHeader) },
    modelList: modelList(provider, { url: `${root}/models?pageSize=1000`, read: readModel }),
    embeddings: googleEmbeddings(provider, embeddingWire(resourceName, post)),
  };
}

/** `{name: 'models/…', supportedGenerationMethods: ['generateContent'], inputTokenLimit}` */
function readModel(entry: Record<string, unknown>): ListedModel | null {
  const { name, supportedGenerationMethods: methods, inputTokenLimit: length } = entry;
  if (typeof name !== 'string') return null;
  const model = name.replace(/^models\//, '');
  const byName = modelTypeOf(model);
  const generates = !Array.isArray(methods) || methods.includes('generateContent');
  return {
    model,
    type: byName === 'chat' && !generates ? 'other' : byName,
    ...(typeof length === 'number' && length > 0 ? { contextLength: length } : {}),
  };
}

function embeddingWire(resourceName: (model: string) => string, post: Post): EmbeddingWire {
  return {
    // "at most 100 requests can be in one batch" (2025-09)
    maxInputs: () => 100,
    buildRequest({ texts, options }, model, apiKey) {
      const name = resourceName(model);
      // each request of a batch must repeat the model
      const requests = texts.map((text) => ({
        model: name,
        content: { parts: [{ text }] },
        ...options,
      }));
      return post(name, ':batchEmbedContents', { requests }, apiKey);
    },
    readVectors(body) {
      const { embeddings, usageMetadata } = (body ?? {}) as {
        embeddings?: { values?: number[] }[];
        usageMetadata?: { promptTokenCount?: number };
      };
      if (!Array.isArray(embeddings)) return null;
      return {
        vectors: embeddings.map((embedding) => embedding.values ?? []),
        promptTokens: usageMetadata?.promptTokenCount ?? null,
      };
    },
  };
}
