import { GatewayError } from '../../errors.js';
import type {
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import { readGeminiCompletion } from './answer.js';
import { type EmbeddingWire, googleEmbeddings } from './embeddings.js';
import { geminiEvents } from './events.js';
import { googleFailure } from './failure.js';
import { toGenerateContent } from './request.js';

const defaultBaseUrl = 'https://generativelanguage.googleapis.com/v1beta';

/** Google's Gemini API, with an API key. */
export const gemini: ProviderDialect = {
  api: 'gemini',
  env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  baseUrl: defaultBaseUrl,
  pricesAs: 'google',
  needsKey: true,
  create: createGemini,
};

/** The part of an adapter that Gemini and Vertex have in common: everything about answers. */
export function geminiReaders(
  provider: string,
): Pick<
  ProviderAdapter,
  'speaksInternalDialect' | 'readCompletion' | 'readEvents' | 'readFailure'
> {
  return {
    speaksInternalDialect: false,
    readCompletion: (body) => readGeminiCompletion(provider, body),
    readEvents: (sink) => geminiEvents(provider, sink),
    readFailure: (status, headers, body) => googleFailure(provider, status, headers, body),
  };
}

type Post = (
  model: string,
  operation: string,
  body: object,
  apiKey: string | null,
) => UpstreamRequest;

/** A model's name as part of a path. Slashes stay. @throws GatewayError `request_refused` for names that would lead elsewhere */
export function modelPath(model: string, provider: string): string {
  const segments = model.split('/');
  if (segments.some((segment) => /^\.*$|\p{Surrogate}/u.test(segment))) {
    throw new GatewayError(
      'request_refused',
      `${provider} cannot be asked for a model of this name`,
      { field: 'model' },
    );
  }
  return segments.map(encodeURIComponent).join('/');
}

/** The two operations of a model, as the end of its URL. */
export function operationOf(stream: boolean): string {
  return stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
}

function createGemini(settings: ProviderSettings): ProviderAdapter {
  const provider = settings.name;
  const root = settings.baseUrl ?? defaultBaseUrl;
  const nameOf = (model: string): string => {
    const name = settings.deployments?.[model] ?? model;
    return /^(models|tunedModels)\//.test(name) ? name : `models/${name}`;
  };
  const post: Post = (model, operation, body, apiKey) => ({
    method: 'POST',
    url: `${root}/${modelPath(model, provider)}${operation}`,
    headers: {
      'content-type': 'application/json',
      ...(apiKey === null ? {} : { 'x-goog-api-key': apiKey }),
      ...settings.headers,
    },
    body: JSON.stringify(body),
  });
  return {
    name: provider,
    ...geminiReaders(provider),
    buildRequest({ request, model, stream }, apiKey) {
      const name = nameOf(model);
      return post(
        name,
        operationOf(stream),
        toGenerateContent(request, name, { provider, callIds: true }),
        apiKey,
      );
    },
    passthrough: {
      baseUrl: root,
      headers: (apiKey) => ({
        ...(apiKey === null ? {} : { 'x-goog-api-key': apiKey }),
        ...settings.headers,
      }),
    },
    embeddings: googleEmbeddings(provider, embeddingWire(nameOf, post)),
  };
}

function embeddingWire(nameOf: (model: string) => string, post: Post): EmbeddingWire {
  return {
    buildRequest({ texts, options }, model, apiKey) {
      const name = nameOf(model);
      // each question of a batch must name the model again
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
