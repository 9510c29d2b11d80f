import { type ChatMessage, type ChatRequest, functionName } from '../../completion.js';
import type { GatewayTool } from '../../grounding/tools/gateway-tool.js';
import { searchNote, withMaterial, withNote } from '../../grounding/tools/material.js';
import { searchToolName } from '../../grounding/tools/web-tools.js';
import type { GroundingTerms, SearchMode } from './grounding-call.js';

/** The inputs of one model call of a request. */
export interface RoundInput {
  readonly chat: ChatRequest;
  readonly terms: GroundingTerms;
  /** How often the model may search by itself. */
  readonly ownSearches: number;
  /** How this candidate searches; null: the request does not search. */
  readonly mode: SearchMode | null;
  /** Whether the candidate may be given tools. */
  readonly takesTools: boolean;
  readonly webTools: readonly GatewayTool[];
  readonly toolkitTools: readonly GatewayTool[];
  /** Calls and results of the rounds before. */
  readonly history: readonly ChatMessage[];
  /** Search results for a model that calls no tools; '': none. */
  readonly material: string;
  /** True: the model has to answer now. */
  readonly isLast: boolean;
  readonly today: Date;
}

/** The chat request of one model call. */
export function roundChat(input: RoundInput): ChatRequest {
  const { chat, terms, mode, takesTools, history } = input;
  const tools = takesTools ? toolsOf(input) : [];
  const hasWebTools = tools.some((tool) => functionName(tool) === searchToolName);
  const noted = terms.search
    ? withNote(chat.messages, searchNote(input.today, hasWebTools || mode === 'native'))
    : chat.messages;
  const material = takesTools ? input.material : [input.material, resultsOf(history)].join('\n\n');
  const messages = material.trim() === '' ? [...noted] : withMaterial(noted, material.trim());
  if (takesTools) messages.push(...history);
  const { tools: _tools, tool_choice: choice, ...rest } = chat;
  return {
    ...rest,
    messages,
    ...(mode === 'native' ? { web_search_options: nativeOptions(input) } : {}),
    ...(tools.length > 0 ? { tools, ...toolChoice(input, choice, hasWebTools) } : {}),
  };
}

function toolsOf({ mode, terms, webTools, toolkitTools }: RoundInput) {
  const own = mode === 'tools' ? webTools : [];
  return [...terms.clientTools, ...[...own, ...toolkitTools].map(({ definition }) => definition)];
}

function toolChoice(
  { isLast, terms, history }: RoundInput,
  asked: ChatRequest['tool_choice'],
  hasWebTools: boolean,
): Pick<ChatRequest, 'tool_choice'> {
  if (isLast) return { tool_choice: 'none' };
  if (terms.search?.required && hasWebTools && history.length === 0)
    return { tool_choice: { type: 'function', function: { name: searchToolName } } };
  // the client's demand applies to the first answer, not to each round
  if (history.length > 0) return asked === 'none' ? { tool_choice: 'none' } : {};
  return asked === undefined || asked === null ? {} : { tool_choice: asked };
}

/** The results of earlier tool calls as text, for a model that calls no tools. */
const resultsOf = (history: readonly ChatMessage[]): string =>
  history
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (typeof content === 'string' ? content : ''))
    .join('\n\n');

function nativeOptions({
  terms: { search },
  ownSearches,
}: RoundInput): NonNullable<ChatRequest['web_search_options']> {
  if (!search) return {};
  const { allowedDomains, blockedDomains, country, recency, required, own } = search;
  const place = { ...own.user_location?.approximate, ...(country === null ? {} : { country }) };
  return {
    ...(own.search_context_size ? { search_context_size: own.search_context_size } : {}),
    max_uses: ownSearches,
    ...(allowedDomains.length > 0 ? { allowed_domains: [...allowedDomains] } : {}),
    ...(blockedDomains.length > 0 ? { blocked_domains: [...blockedDomains] } : {}),
    ...(Object.keys(place).length === 0
      ? {}
      : { user_location: { type: 'approximate' as const, approximate: place } }),
    ...(recency === null ? {} : { recency }),
    ...(required ? { required } : {}),
  };
}
