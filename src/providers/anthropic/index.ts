import type {
  ModelCall,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import { anthropicEvents, fromAnthropicAnswer } from './events.js';
import { anthropicErrorBody, anthropicFailure } from './failure.js';
import { toAnthropicBody } from './request.js';
import { claudeSearch, SearchBlocks } from './web-search.js';
import { deploymentOf } from '../called-model.js';
import { parseJson } from '../json.js';
import { acceptsEvents, authHeaders, upstreamPost } from '../upstream-post.js';
import { modelList } from '../model-list.js';

const defaultBaseUrl = 'https://api.anthropic.com/v1';
const defaultApiVersion = '2023-06-01';
const keyHeader = 'x-api-key';

/**
 * Anthropic's Messages API, from Anthropic or another provider. The base URL may include `/v1` or
 * not. An `anthropic-beta` header in the provider's settings turns on beta features. There are no
 * embeddings.
 */
export const anthropic: ProviderDialect = {
  api: 'anthropic',
  env: ['ANTHROPIC_API_KEY'],
  baseUrl: defaultBaseUrl,
  pricesAs: 'anthropic',
  needsKey: true,
  keyHeader,
  passthroughHeaders: ['anthropic-version', 'anthropic-beta'],
  ownPaths: ['/v1/messages'],
  errorBody: anthropicErrorBody,
  create: createAdapter,
};

function createAdapter(settings: ProviderSettings): ProviderAdapter {
  const provider = settings.name;
  const url = messagesUrl(settings.baseUrl ?? defaultBaseUrl);
  return {
    name: provider,
    speaksInternalDialect: false,
    buildRequest: (call, apiKey) => buildRequest(settings, url, call, apiKey),
    readCompletion: (body, call) =>
      fromAnthropicAnswer(provider, parseJson(body), searchBlocksOf(call)),
    readEvents: (sink, call) => anthropicEvents(provider, sink, searchBlocksOf(call)),
    readFailure: (status, headers, body) => anthropicFailure(provider, status, headers, body),
    webSearch: (model) => claudeSearch(claudeName(settings, model)),
    passthrough: {
      baseUrl: url.replace(/\/messages$/, ''),
      headers: (apiKey) => authHeaders(apiKey, settings, keyHeader),
    },
    modelList: modelList(provider, {
      url: `${url.replace(/\/messages$/, '')}/models?limit=1000`,
      headers: { 'anthropic-version': settings.apiVersion ?? defaultApiVersion },
      read: ({ id }) => (typeof id === 'string' ? { model: id, type: 'chat' } : null),
    }),
  };
}

const searchBlocksOf = ({ request }: ModelCall): SearchBlocks =>
  new SearchBlocks(Boolean(request.web_search_options));

/** Of our name and the provider's, the one that tells which model it is. */
function claudeName(settings: ProviderSettings, model: string): string {
  const name = deploymentOf(settings, model) ?? model;
  return /claude/i.test(name) ? name : model;
}

function messagesUrl(baseUrl: string): string {
  const root = baseUrl.replace(/\/+$/, '');
  return `${/\/v\d+$/.test(root) ? root : `${root}/v1`}/messages`;
}

function buildRequest(
  settings: ProviderSettings,
  url: string,
  call: ModelCall,
  apiKey: string | null,
): UpstreamRequest {
  const model = deploymentOf(settings, call.model) ?? call.model;
  const body = {
    model,
    ...toAnthropicBody(call.request, claudeName(settings, call.model)),
    stream: call.stream,
  };
  return upstreamPost(url, body, authHeaders(apiKey, settings, keyHeader), {
    ...acceptsEvents,
    'anthropic-version': settings.apiVersion ?? defaultApiVersion,
  });
}
