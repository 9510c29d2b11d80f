import type {
  ChatRequest,
  Completion,
  CompletionChunk,
  CompletionSink,
  ToolCall,
  ToolCallDelta,
  ToolDefinition,
  Usage,
} from './completion.js';
import { jsonFields, parsedJson } from './text/json-values.js';

type Json = Readonly<Record<string, unknown>>;
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

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

const customCall = (name: string, args: string): object => ({
  type: 'custom',
  custom: { name, input: customInput(args) },
});

/** Calls of custom tools in a whole answer, as the client knows them. */
export const withCustomCalls = (
  completion: Completion,
  names: ReadonlySet<string>,
): Completion => ({
  ...completion,
  choices: completion.choices.map((choice) => ({
    ...choice,
    message: {
      ...choice.message,
      ...(choice.message.tool_calls
        ? { tool_calls: choice.message.tool_calls.map((call) => restored(call, names)) }
        : {}),
    },
  })),
});

function restored(call: ToolCall, names: ReadonlySet<string>): ToolCall {
  const { name, arguments: args } = call.function;
  return names.has(name) ? ({ id: call.id, ...customCall(name, args) } as ToolCall) : call;
}

interface HeldCall {
  readonly choice: number;
  readonly index: number;
  readonly id: string | undefined;
  readonly name: string;
  args: string;
}

/** Turns calls of custom tools in a stream back, each at its end, when its JSON is whole. */
export class CustomCallSink implements CompletionSink {
  private readonly held: HeldCall[] = [];
  private last: CompletionChunk | null = null;

  constructor(
    private readonly sink: CompletionSink,
    private readonly names: ReadonlySet<string>,
  ) {}

  text(escaped: string): void {
    this.sink.text(escaped, null);
  }

  chunk(chunk: CompletionChunk): void {
    this.last = chunk;
    const choices = chunk.choices.map((choice) => {
      const { tool_calls: calls, ...delta } = choice.delta;
      const passed = calls?.filter((call) => !this.holds(choice.index, call)) ?? [];
      return { ...choice, delta: passed.length > 0 ? { ...delta, tool_calls: passed } : delta };
    });
    this.sink.chunk({ ...chunk, choices }, null);
  }

  counted(usage: Usage): void {
    this.sink.counted?.(usage);
  }

  end(finishReason: string | null, usage: Usage | null, unknownFinish?: string): void {
    for (const { choice, index, id, name, args } of this.held) {
      const call = { index, id, ...customCall(name, args) } as ToolCallDelta;
      const choices = [{ index: choice, delta: { tool_calls: [call] }, finish_reason: null }];
      this.sink.chunk({ ...this.last, choices }, null);
    }
    this.sink.end(finishReason, usage, unknownFinish);
  }

  /** Whether a piece is one of a custom tool's call, which then is kept. */
  private holds(choice: number, piece: ToolCallDelta): boolean {
    const { index, id, function: of } = piece;
    const known = this.held.find((call) => call.choice === choice && call.index === index);
    if (known) known.args += of?.arguments ?? '';
    else if (of?.name !== undefined && this.names.has(of.name))
      this.held.push({ choice, index, id, name: of.name, args: of.arguments ?? '' });
    else return false;
    return true;
  }
}
