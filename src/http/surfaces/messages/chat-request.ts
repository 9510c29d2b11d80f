import { pick, present } from '../../../text/is-object.js';
import { type ChatRequest, effortOfBudget, type ToolDefinition } from '../../../completion.js';
import type { GroundingWish } from '../../../pipeline/grounding/grounding-call.js';
import { wishOf } from '../openai-search.js';
import { toChatMessages } from './chat-messages.js';
import { isClientTool, isWebSearch, type MessagesRequest, type MessagesTool } from './request.js';

/** What other APIs ask for an effort with. */
export const foreignEfforts = ['reasoning_effort', 'reasoning'];

/** Where `thinking` is adaptive and no effort is stated, Anthropic takes this one. */
const adaptiveEffort = 'high';

/**
 * A body in the internal dialect: all that other dialects have a word for. What they have none for
 * is in the tables of only-messages.ts.
 */
export function chatRequest(body: MessagesRequest): ChatRequest {
  const { max_tokens, temperature, top_p, top_k, stop_sequences: stop } = body;
  const effort = effortOf(body);
  const chat: ChatRequest = {
    messages: toChatMessages(body),
    ...pick(body, foreignEfforts),
    ...present({ max_tokens, temperature, top_p, top_k, reasoning_effort: effort }),
  };
  if (stop?.length) chat.stop = [...stop];
  return Object.assign(chat, toolsOf(body), formatOf(body));
}

function effortOf({ thinking, output_config: output }: MessagesRequest): string | null {
  // `between_tools` is as far off as some models go
  if (thinking?.type === 'disabled' || thinking?.type === 'between_tools') return 'none';
  if (output?.effort) return output.effort;
  if (thinking?.type === 'adaptive') return adaptiveEffort;
  return thinking?.type === 'enabled' ? effortOfBudget(thinking.budget_tokens ?? 0) : null;
}

/** `output_format` is the name that the same had before. */
function formatOf(body: MessagesRequest): Pick<ChatRequest, 'response_format'> {
  const format =
    body.output_config?.format ??
    (body['output_format'] as { type: string; schema?: Record<string, unknown> } | undefined);
  if (format?.type !== 'json_schema' || !format.schema) return {};
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: format.schema },
    },
  };
}

function toolOf(tool: MessagesTool): ToolDefinition {
  const { name = '', description, input_schema: schema, strict, cache_control: control } = tool;
  return {
    type: 'function',
    function: {
      name,
      ...(description ? { description } : {}),
      parameters: schema ?? { type: 'object', properties: {} },
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
    ...(control ? { cache_control: control } : {}),
  };
}

/** The client's own tools; providers refuse a choice where there are none. */
function toolsOf({
  tools,
  tool_choice: choice,
}: MessagesRequest): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  const own = (tools ?? []).filter(isClientTool).map(toolOf);
  if (own.length === 0) return {};
  const chosen = choiceOf(choice, own);
  return {
    tools: own,
    ...(chosen ? { tool_choice: chosen } : {}),
    ...(choice?.disable_parallel_tool_use ? { parallel_tool_calls: false } : {}),
  };
}

function choiceOf(
  choice: MessagesRequest['tool_choice'],
  own: readonly ToolDefinition[],
): ChatRequest['tool_choice'] {
  if (choice?.type === 'none' || choice?.type === 'auto') return choice.type;
  if (choice?.type === 'any') return 'required';
  const { name } = choice ?? {};
  if (choice?.type !== 'tool' || name === undefined) return undefined;
  // a forced search is the wish of `searchWish`
  const isOwn = own.some((tool) => tool.function.name === name);
  return isOwn ? { type: 'function', function: { name } } : undefined;
}

/** The web search of a body, for models that do not run Anthropic's tool. Null: none is asked for. */
export function searchWish({ tools, tool_choice: choice }: MessagesRequest): GroundingWish | null {
  const tool = tools?.find(isWebSearch);
  if (!tool || choice?.type === 'none') return null;
  const { max_uses: maxUses, blocked_domains: blocked } = tool;
  const isForced = choice?.type === 'tool' && choice.name === (tool.name ?? 'web_search');
  return {
    search: {
      ...wishOf(tool),
      ...(isForced ? { required: true } : {}),
      ...(typeof maxUses === 'number' && maxUses > 0 ? { maxUses } : {}),
      ...(Array.isArray(blocked) ? { blockedDomains: blocked.map(String).slice(0, 100) } : {}),
    },
    research: null,
    toolkits: [],
    maxToolSteps: null,
  };
}
