import { GatewayError } from '../../errors.js';
import type {
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import { type EmbeddingWire, googleEmbeddings } from './embeddings.js';
import { geminiReaders } from './events.js';
import { type AccessTokenSource, googleCredentials } from './google-credentials.js';
import { deploymentOf, modelPath } from '../called-model.js';
import { operationOf, toGenerateContent } from './request.js';
import { upstreamPost } from '../upstream-post.js';
import { geminiSearch } from './web-search.js';

/**
 * Gemini on Google Cloud's Vertex AI, which takes a project, a region and usually an access token.
 */
export const vertex: ProviderDialect = {
  api: 'vertex',
  env: [],
  baseUrl: null,
  conventionalName: 'gcp.vertex_ai',
  pricesAs: 'google',
  needsKey: false,
  keyHeader: 'x-goog-api-key',
  create: (settings) => createVertex(settings),
};

const expressRoot = 'https://aiplatform.googleapis.com/v1';

type Post = (path: string, body: object, apiKey: string | null) => Promise<UpstreamRequest>;

/**
 * Makes the adapter. It uses an API key (express mode) where no credentials file is configured.
 * @param credentials absent: those that `googleCredentials` finds for the settings
 * @throws GatewayError `internal` if the configuration lacks a project or a region
 */
export function createVertex(
  settings: ProviderSettings,
  credentials?: AccessTokenSource,
): ProviderAdapter {
  const provider = settings.name;
  const tokens =
    credentials ?? googleCredentials({ provider, credentialsFile: settings.credentialsFile });
  const post = requestMaker(settings, tokens);
  const calledName = (model: string): string => deploymentOf(settings, model) ?? model;
  const readers = geminiReaders(provider);
  return {
    name: provider,
    ...readers,
    buildRequest: ({ request, model, stream }, apiKey) =>
      post(
        `${pathOf(model, settings)}${operationOf(stream)}`,
        toGenerateContent(request, calledName(model), {
          provider,
          callIds: false,
          searchFilter: 'domains',
        }),
        apiKey,
      ),
    readFailure(status, headers, body) {
      // the token was revoked before it expired
      if (status === 401) tokens.forget();
      return readers.readFailure(status, headers, body);
    },
    webSearch: (model) => geminiSearch(calledName(model)) ?? geminiSearch(model),
    passthrough: {
      baseUrl: rootOf(settings),
      headers: (apiKey) => authOf(tokens, apiKey, settings),
    },
    embeddings: googleEmbeddings(
      provider,
      predictWire((model) => pathOf(model, settings), post),
    ),
  };
}

/**
 * Tuned models are endpoints; models of other publishers have their own path. The credentials may
 * reach other projects, so only the configuration names those.
 */
function pathOf(model: string, settings: ProviderSettings): string {
  const { name, project } = settings;
  const deployed = deploymentOf(settings, model);
  const path = deployed ?? model;
  const isForeign = path.startsWith('projects/') && path.split('/')[1] !== project;
  if (isForeign && deployed === undefined)
    throw new GatewayError(
      'request_refused',
      `${name} calls models of its own project only; others need an entry in deployments`,
      { field: 'model' },
    );
  return modelPath(
    /^(projects|publishers|endpoints)\//.test(path) ? path : `publishers/google/models/${path}`,
    name,
  );
}

function requestMaker(settings: ProviderSettings, tokens: AccessTokenSource): Post {
  const provider = settings.name;
  const project = required(settings.project, 'project', provider);
  const region = required(settings.region, 'region', provider);
  const root = rootOf(settings);
  const home = `${root}/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(region)}`;
  return async (path, body, apiKey) => {
    const express = apiKey !== null && !tokens.configured;
    const inProject = path.startsWith('projects/') ? `${root}/${path}` : `${home}/${path}`;
    // a key in express mode belongs to a project and works only on the global endpoint
    const url = express ? `${settings.baseUrl ?? expressRoot}/${path}` : inProject;
    return upstreamPost(url, body, await authOf(tokens, apiKey, settings), {});
  };
}

/** `us` and `eu` are not regions but groups of them, with hosts of their own kind. */
const multiRegions: ReadonlySet<string> = new Set(['us', 'eu']);

function rootOf({ baseUrl, region = 'global' }: ProviderSettings): string {
  if (baseUrl !== undefined) return baseUrl;
  if (multiRegions.has(region)) return `https://aiplatform.${region}.rep.googleapis.com/v1`;
  return `https://${region === 'global' ? '' : `${region}-`}aiplatform.googleapis.com/v1`;
}

/** Authenticates with the key in express mode, else with an access token. */
async function authOf(
  tokens: AccessTokenSource,
  apiKey: string | null,
  settings: ProviderSettings,
): Promise<Record<string, string>> {
  const express = apiKey !== null && !tokens.configured;
  return {
    ...(express
      ? { 'x-goog-api-key': apiKey }
      : { authorization: `Bearer ${await tokens.token()}` }),
    ...settings.headers,
  };
}

function required(
  value: string | undefined,
  field: 'project' | 'region',
  provider: string,
): string {
  if (value) return value;
  throw new GatewayError(
    'internal',
    `${provider} needs a ${field} in its settings${field === 'region' ? ' (it may be global)' : ''}`,
    { field: `providers[${provider}][${field}]` },
  );
}

interface Prediction {
  embeddings?: { values?: number[]; statistics?: { token_count?: number } };
}

/** Embedding models answer `:predict`. */
function predictWire(pathOf: (model: string) => string, post: Post): EmbeddingWire {
  return {
    // gemini-embedding-001 takes one text a call, the others 250 (documentation, 2026-11)
    maxInputs: (model) => (pathOf(model).includes('gemini-embedding') ? 1 : 250),
    buildRequest({ texts, options: { outputDimensionality, taskType, title } }, model, apiKey) {
      const instances = texts.map((content) => ({
        content,
        ...(taskType ? { task_type: taskType } : {}),
        ...(title ? { title } : {}),
      }));
      return post(
        `${pathOf(model)}:predict`,
        { instances, ...(outputDimensionality ? { parameters: { outputDimensionality } } : {}) },
        apiKey,
      );
    },
    readVectors(body) {
      const { predictions } = (body ?? {}) as { predictions?: Prediction[] };
      if (!Array.isArray(predictions)) return null;
      const counts = predictions.map(
        (prediction) => prediction.embeddings?.statistics?.token_count ?? null,
      );
      return {
        vectors: predictions.map((prediction) => prediction.embeddings?.values ?? []),
        promptTokens: counts.includes(null)
          ? null
          : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
      };
    },
  };
}
