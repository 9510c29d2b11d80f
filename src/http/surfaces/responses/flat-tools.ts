import { createHash } from 'node:crypto';
import type { ChatRequest, ToolDefinition } from '../../../completion.js';
import { customTool } from '../../../custom-tools.js';
import { isObject, type Json, omit, present, textIn } from '../../../text/is-object.js';
import { itemsOf, jsonList, type ResponsesBody } from './body.js';

/** A tool that the client runs, as a function that every model can call. */
export interface FlatTool {
  readonly name: string;
  /** The group of tools that it is in; null: none. */
  readonly namespace: string | null;
  /** Whether its input is text, not JSON. */
  readonly isCustom: boolean;
  readonly definition: ToolDefinition;
}

/** Longer names of functions and ids of calls are refused by OpenAI and Anthropic. */
const maxNameLength = 64;

/** The same text where it is short enough; always the same one for a longer one. */
export function shortened(text: string): string {
  if (text.length <= maxNameLength) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${text.slice(0, maxNameLength - 9)}_${digest}`;
}

/** The name of a tool as a function: names in different namespaces may be the same. */
export function flatName(namespace: unknown, name: unknown): string {
  const own = textIn(name);
  return shortened(textIn(namespace) === '' ? own : `${textIn(namespace)}__${own}`);
}

/**
 * The tools of a request that the client runs, by their flat names: of its field `tools` and of
 * items that bring more. Tools of other types are not among them.
 */
export function flatTools(body: ResponsesBody): ReadonlyMap<string, FlatTool> {
  const tools = new Map<string, FlatTool>();
  for (const tool of sentTools(body)) {
    const isGroup = tool['type'] === 'namespace';
    for (const one of isGroup ? jsonList(tool['tools']) : [tool]) {
      const isCustom = one['type'] === 'custom';
      if (!isCustom && one['type'] !== 'function') continue;
      const namespace = isGroup ? textIn(tool['name']) : null;
      const flat = flatName(namespace, one['name']);
      const definition = isCustom ? customTool(flat, one) : functionTool(flat, one);
      if (!tools.has(flat))
        tools.set(flat, { name: textIn(one['name']), namespace, isCustom, definition });
    }
  }
  return tools;
}

const nesting = new Set<unknown>(['function', 'custom', 'allowed_tools']);

/** A tool or a choice as this dialect has it; chat completions have it one level deeper. */
function unnested(tool: Json): Json {
  const type = textIn(tool['type']);
  const nested = nesting.has(type) ? tool[type] : null;
  return isObject(nested) ? { ...omit(tool, new Set([type])), ...nested } : tool;
}

/** A body whose tools and choice are as providers of this dialect take them. */
export function withOwnTools(body: ResponsesBody): ResponsesBody {
  const tools = jsonList(body.tools).map((tool) => {
    const flat = unnested(tool);
    // true is the default here, false in the chat API
    return flat === tool || flat['type'] !== 'function' ? flat : { strict: false, ...flat };
  });
  const choice = isObject(body.tool_choice) ? unnested(body.tool_choice) : null;
  const allowed = jsonList(choice?.['tools']).map(unnested);
  return {
    ...body,
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice && { tool_choice: allowed.length > 0 ? { ...choice, tools: allowed } : choice }),
  };
}

/** All tools of a request, also those that items bring. */
export function sentTools(body: ResponsesBody): readonly Json[] {
  const brought = itemsOf(body)
    .filter(({ type }) => type === 'additional_tools' || type === 'tool_search_output')
    .flatMap(({ tools }) => jsonList(tools));
  return [...jsonList(body.tools), ...brought];
}

const functionTool = (name: string, { description, parameters, strict }: Json): ToolDefinition => ({
  type: 'function',
  function: { name, ...present({ description, parameters, strict }) } as ToolDefinition['function'],
});

/** Tools and choice of the canonical request. */
export function toolFields(
  { tool_choice: choice, parallel_tool_calls: parallel }: ResponsesBody,
  flat: ReadonlyMap<string, FlatTool>,
): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  const { names, mode } = choiceOf(choice);
  const tools = [...flat].filter(([name]) => names?.has(name) ?? true);
  if (tools.length === 0) return {};
  return {
    tools: tools.map(([, { definition }]) => definition),
    ...(mode === undefined ? {} : { tool_choice: mode }),
    ...(typeof parallel === 'boolean' ? { parallel_tool_calls: parallel } : {}),
  };
}

/** Which tools may be called (null: all), and how. Of several allowed ones the others are left out. */
function choiceOf(choice: ResponsesBody['tool_choice']): {
  names: ReadonlySet<string> | null;
  mode: ChatRequest['tool_choice'];
} {
  if (choice === 'none' || choice === 'auto' || choice === 'required')
    return { names: null, mode: choice };
  if (typeof choice !== 'object' || choice === null) return { names: null, mode: undefined };
  const nameOf = (tool: Json): string => flatName(tool['namespace'], tool['name']);
  if (choice['type'] === 'allowed_tools')
    return {
      names: new Set(jsonList(choice['tools']).map(nameOf)),
      mode: choice['mode'] === 'required' ? 'required' : 'auto',
    };
  const name = nameOf(choice);
  return { names: null, mode: name ? { type: 'function', function: { name } } : undefined };
}
