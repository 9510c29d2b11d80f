import { type ChatRequest, type NativeSearchOptions, placeIn } from '../../completion.js';
import type { GroundingWish, SearchWish } from '../../pipeline/grounding/grounding-call.js';
import { jsonFields } from '../../text/json-values.js';

/** A chat request with its models, as OpenAI's dialect has them. */
export interface NamedChat {
  readonly chat: ChatRequest;
  readonly models: readonly string[] | null;
}

/** OpenRouter's plugin, with what is used of it. */
interface Plugin {
  readonly id?: unknown;
  readonly max_results?: unknown;
}

const searchTypes = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;
const onlineSuffix = /:online$/;

/**
 * Reads the switches by which requests of OpenAI's dialect ask for web search: the field
 * `web_search_options`, the tool `web_search`, OpenRouter's plugin `web` and its suffix `:online`.
 * Null: the request has none of them. Without a search engine the request goes on as it is.
 */
export function searchSwitch({ chat, models }: NamedChat): GroundingWish | null {
  const { web_search_options: options, plugins, tools } = chat;
  const isOnline = models?.some((model) => onlineSuffix.test(model)) ?? false;
  const plugin = pluginsIn(plugins).find(({ id }) => id === 'web');
  const tool = tools?.find(isSearchTool);
  if (!options && !plugin && !tool && !isOnline) return null;
  const { web_search_options: _options, plugins: _plugins, tools: _tools, ...rest } = chat;
  const others = pluginsIn(plugins).filter(({ id }) => id !== 'web');
  const functions = tools?.filter((one) => !isSearchTool(one)) ?? [];
  return {
    search: wishOf(options ?? tool ?? {}, plugin),
    research: null,
    toolkits: [],
    maxToolSteps: null,
    withoutSwitch: {
      chat: {
        ...rest,
        messages: chat.messages,
        ...(others.length > 0 ? { plugins: others } : {}),
        ...(functions.length > 0 ? { tools: functions } : {}),
      },
      models: models?.map((model) => model.replace(onlineSuffix, '')) ?? null,
    },
  };
}

/** Whether a tool or a choice is OpenAI's web search. */
export const isSearchTool = ({ type }: { readonly type: string }): boolean =>
  searchTypes.test(type);

const pluginsIn = (plugins: unknown): readonly Plugin[] =>
  Array.isArray(plugins)
    ? (plugins as unknown[]).filter((one): one is Plugin => typeof one === 'object' && one !== null)
    : [];

/** What the switches say beside that there is to be a search; what is no such thing is left out. */
export function wishOf(
  { user_location: location, filters, ...options }: NativeSearchOptions,
  plugin?: Plugin,
): SearchWish {
  // the tool has the fields at the place itself, `web_search_options` below `approximate`
  const { approximate, ...flat } = jsonFields(location);
  const { country, ...place } = placeIn(jsonFields(approximate ?? flat));
  const size = options.search_context_size;
  const { allowed_domains: allowed } = (filters ?? options) as { allowed_domains?: unknown };
  const maxResults = plugin?.max_results;
  return {
    ...(country !== undefined && /^[a-z]{2}$/i.test(country) ? { location: { country } } : {}),
    own: {
      ...(typeof size === 'string' ? { search_context_size: size } : {}),
      ...(Object.keys(place).length > 0
        ? { user_location: { type: 'approximate', approximate: place } }
        : {}),
    },
    ...(Array.isArray(allowed) ? { allowedDomains: allowed.map(String).slice(0, 100) } : {}),
    ...(typeof maxResults === 'number' && Number.isInteger(maxResults) && maxResults > 0
      ? { maxResults }
      : {}),
  };
}
