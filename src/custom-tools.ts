import type { ChatRequest, ToolCall, ToolDefinition } from './completion.js';
import { type Json, textIn } from './text/is-object.js';
import { jsonFields, parsedJson } from './text/json-values.js';

/** A tool whose input is text, as a function of one text; the grammar joins the description. */
export function customTool(name: string, { description, format }: Json): ToolDefinition {
  const written = jsonFields(format);
  // chat completions have it one level deeper than Responses
  const { syntax, definition } = { ...written, ...jsonFields(written['grammar']) };
  const grammar = definition
    ? `The input must match this grammar (${textIn(syntax)}):\n${textIn(definition)}`
    : '';
  const text = [textIn(description), grammar].filter((one) => one !== '').join('\n\n');
  const parameters = {
    type: 'object',
    properties: { input: { type: 'string' } },
    required: ['input'],
    additionalProperties: false,
  };
  return {
    type: 'function',
    function: { name, ...(text ? { description: text } : {}), parameters },
  };
}

/** The arguments of a custom tool's function, for its text. */
export const customArguments = (input: unknown): string => JSON.stringify({ input: textIn(input) });

/** The other way; arguments of another shape are the text. */
export function customInput(args: string): string {
  const { input } = jsonFields(parsedJson(args));
  return typeof input === 'string' ? input : args;
}

/** A request whose custom tools are functions, and the tools' names. */
export interface FlatRequest {
  readonly request: ChatRequest;
  readonly names: ReadonlySet<string>;
}

/** A request for a dialect without custom tools; null: it has none, and stays as it is. */
export function flattenCustomTools(request: ChatRequest): FlatRequest | null {
  const { tools, tool_choice: choice, messages } = request;
  if (!tools?.some((tool) => isCustom(tool))) return null;
  const names = new Set<string>();
  const flat = tools.map((tool) => {
    const custom = jsonFields((tool as Json)['custom']);
    const name = textIn(custom['name']);
    if (!isCustom(tool)) return tool;
    names.add(name);
    return customTool(name, custom);
  });
  const chosen = typeof choice === 'object' ? jsonFields(choice?.['custom'])['name'] : undefined;
  return {
    names,
    request: {
      ...request,
      tools: flat,
      ...(typeof chosen === 'string'
        ? { tool_choice: { type: 'function', function: { name: chosen } } }
        : {}),
      messages: messages.map((message) =>
        message.tool_calls?.some((call) => isCustom(call))
          ? { ...message, tool_calls: message.tool_calls.map(flatCall) }
          : message,
      ),
    },
  };
}

const isCustom = (tool: object): boolean => (tool as Json)['custom'] !== undefined;

function flatCall(call: ToolCall): ToolCall {
  if (!isCustom(call)) return call;
  const { name, input } = jsonFields(call['custom']);
  const args = customArguments(input);
  return { id: call.id, type: 'function', function: { name: textIn(name), arguments: args } };
}

/** A call of a custom tool, as the client knows it. */
export const customCall = (name: string, args: string): object => ({
  type: 'custom',
  custom: { name, input: customInput(args) },
});
