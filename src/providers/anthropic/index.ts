import type {
  ModelCall,
  OriginalRequest,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import { anthropicEvents, fromAnthropicAnswer } from './events.js';
import { anthropicErrorBody, anthropicFailure } from './failure.js';
import { claudeThinking, rulesOf } from './claude-rules.js';
import { fieldsForOther, withoutSampling } from './other-claude.js';
import { withoutRefused } from './refused-blocks.js';
import {
  type AnthropicBody,
  beginsUnthought,
  leftByClaude,
  obstacleOf,
  toAnthropicBody,
} from './request.js';
import { claudeSearch, SearchBlocks } from './web-search.js';
import { withCacheBreakpoints, withFewMarks } from '../cache-breakpoints.js';
import { deploymentOf } from '../called-model.js';
import { unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { acceptsEvents, authHeaders, upstreamPost } from '../upstream-post.js';
import { modelList } from '../model-list.js';
import { isObject, type Json, omit } from '../../text/is-object.js';

const defaultBaseUrl = 'https://api.anthropic.com/v1';
const defaultApiVersion = '2023-06-01';
const keyHeader = 'x-api-key';
const betaHeader = 'anthropic-beta';

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
  passthroughHeaders: ['anthropic-version', betaHeader],
  ownPaths: ['/v1/messages'],
  errorBody: anthropicErrorBody,
  create: createAdapter,
};

function createAdapter(settings: ProviderSettings): ProviderAdapter {
  const provider = settings.name;
  const baseUrl = settings.baseUrl ?? defaultBaseUrl;
  const root = /\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`;
  const url = `${root}/messages`;
  return {
    name: provider,
    dialect: 'messages',
    unopenedImages: /^http:/i,
    buildRequest: (call, apiKey) => buildRequest(settings, url, call, apiKey),
    readCompletion: (body, call) =>
      fromAnthropicAnswer(provider, parseJson(body), searchBlocksOf(call)),
    readEvents: (sink, call) =>
      anthropicEvents(provider, sink, searchBlocksOf(call), call.original !== undefined),
    readFailure: anthropicFailure(provider),
    leftOut: (request, model) => leftByClaude(request, rulesOf(claudeName(settings, model))),
    prefill: (model) => rulesOf(claudeName(settings, model)).prefill,
    webSearch: (model) => claudeSearch(claudeName(settings, model)),
    tokenCount: {
      buildRequest(original, model, apiKey) {
        const name = claudeName(settings, model);
        const read = readBy(name, original);
        const own = {
          ...fieldsForOther({}, read, name),
          model: deploymentOf(settings, model) ?? model,
        };
        const body = { ...read, ...own };
        return postTo(settings, `${url}/count_tokens`, body, apiKey, original);
      },
      readCount: (body) => readCount(provider, body),
    },
    passthrough: {
      baseUrl: root,
      headers: (apiKey) => authHeaders(apiKey, settings, keyHeader),
    },
    modelList: modelList(provider, {
      url: `${root}/models?limit=1000`,
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

function buildRequest(
  settings: ProviderSettings,
  url: string,
  call: ModelCall,
  apiKey: string | null,
): UpstreamRequest {
  const model = deploymentOf(settings, call.model) ?? call.model;
  const name = claudeName(settings, call.model);
  const { original } = call;
  const read = original && readBy(name, original);
  const body: object = read
    ? Object.assign(
        {},
        read,
        { ...addedEffort(call, name), ...fieldsForOther(call.request, read, name) },
        { model, stream: call.stream },
      )
    : { model, ...toAnthropicBody(call.request, name), stream: call.stream };
  const sent = settings.cacheBreakpoints ? withCacheBreakpoints(body as AnthropicBody) : body;
  return postTo(settings, url, sent, apiKey, original);
}

/** The body to forward: for Claude without what it refuses; other models may need that back. */
function readBy(name: string, { body }: OriginalRequest): OriginalRequest['body'] {
  const read = /claude/i.test(name) ? withoutRefused(body) : body;
  const { thinking, messages } = read;
  // with a budget for thinking, a turn that goes on has to have begun with it
  const isBudget = read !== body && isObject(thinking) && thinking['type'] === 'enabled';
  return isBudget && beginsUnthought(messages as Json[]) ? omit(read, thinkingField) : read;
}
const thinkingField: ReadonlySet<string> = new Set(['thinking']);

/** A call with what of the client's own request goes along. */
function postTo(
  settings: ProviderSettings,
  url: string,
  body: object,
  apiKey: string | null,
  original?: OriginalRequest,
): UpstreamRequest {
  const auth = authHeaders(apiKey, settings, keyHeader);
  const headers = {
    ...acceptsEvents,
    'anthropic-version': settings.apiVersion ?? defaultApiVersion,
    ...original?.headers,
  };
  const betas = [auth[betaHeader], original?.headers[betaHeader]].filter(Boolean);
  if (betas.length > 0) auth[betaHeader] = betas.join(',');
  const sent = withFewMarks(body as AnthropicBody);
  return upstreamPost(`${url}${original?.query ?? ''}`, sent, auth, headers);
}

function readCount(provider: string, body: string): number {
  const { input_tokens: tokens } = (parseJson(body) ?? {}) as { input_tokens?: unknown };
  if (typeof tokens !== 'number') throw unreadable(provider, 'the body has no input_tokens');
  return tokens;
}

/** What the candidate has the model reason where the client's own body does not say. */
function addedEffort({ request, original }: ModelCall, name: string): Record<string, unknown> {
  const { reasoning_effort: effort } = request;
  const { thinking, output_config: output } = original?.body ?? {};
  if (!effort || thinking !== undefined || (isObject(output) && 'effort' in output)) return {};
  const { tool_choice: choice, messages } = original?.body ?? {};
  const obstacle = obstacleOf(choice, messages as Json[]);
  const rules = rulesOf(name);
  if (rules.thinking === 'none') return {};
  const limit = Math.min(request.max_tokens ?? Infinity, rules.maxOutput);
  const added = claudeThinking(effort, rules, limit, obstacle);
  return {
    ...(added.thinking
      ? { thinking: added.thinking, ...withoutSampling(rules, added.thinking, {}) }
      : {}),
    ...(added.effort ? { output_config: { ...(output ?? {}), effort: added.effort } } : {}),
  };
}
