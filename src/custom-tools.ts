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

/** How a client knows a call of one of its custom tools. */
export type OwnCall = (name: string, args: string) => object;

/** A request whose custom tools are functions, and their calls for the client, by their names. */
export interface FlatRequest {
  readonly request: ChatRequest;
  readonly custom: ReadonlyMap<string, OwnCall>;
}

/**
 * A request without custom tools; null: it has none to convert, and stays as it is.
 * @param takesCustom whether the provider's dialect has them. Those in the form of Responses are
 *   converted for every provider
 */
export function flattenCustomTools(request: ChatRequest, takesCustom = false): FlatRequest | null {
  const { tools, tool_choice: choice, messages } = request;
  const custom = new Map<string, OwnCall>();
  const flat = tools?.map((tool: Json) => {
    const nested = takesCustom ? undefined : tool['custom'];
    const own = nested === undefined && isFlat(tool) ? tool : jsonFields(nested);
    if (nested === undefined && own !== tool) return tool;
    const name = textIn(own['name']);
    custom.set(name, nested === undefined ? textCall : customCall);
    return customTool(name, own);
  }) as ToolDefinition[] | undefined;
  if (custom.size === 0) return null;
  const { name, custom: named } = jsonFields(choice);
  const chosen = jsonFields(named)['name'] ?? name;
  return {
    custom,
    request: {
      ...request,
      tools: flat,
      ...(typeof chosen === 'string' && custom.has(chosen)
        ? { tool_choice: { type: 'function', function: { name: chosen } } }
        : {}),
      messages: messages.map((message) => {
        const calls = message.tool_calls?.map((call) => flatCall(call, custom, takesCustom));
        return calls?.some((call, at) => call !== message.tool_calls?.[at])
          ? { ...message, tool_calls: calls }
          : message;
      }),
    },
  };
}

/** Whether a tool is a custom one as in Responses, which has no level below it. */
const isFlat = ({ type, name, custom, function: called, input_schema: schema }: Json): boolean =>
  type === 'custom' && typeof name === 'string' && !(custom ?? called ?? schema);

function flatCall(call: ToolCall, known: FlatRequest['custom'], takesCustom: boolean): ToolCall {
  const { custom, function: called } = call as Json;
  const { name, arguments: text, input = customInput(textIn(text)) } = jsonFields(custom ?? called);
  if (!known.has(textIn(name)) && (takesCustom || !custom)) return call;
  const args = customArguments(input);
  return { id: call.id, type: 'function', function: { name: textIn(name), arguments: args } };
}

/** A call of a custom tool, as the client knows it. */
const customCall: OwnCall = (name, args) => ({
  type: 'custom',
  custom: { name, input: customInput(args) },
});

/**
 * As clients know it that write custom tools as in Responses: Cursor 3.14 reads every call as one of
 * a function, and its arguments as the text.
 */
const textCall: OwnCall = (name, args) => ({
  type: 'function',
  function: { name, arguments: customInput(args) },
});
