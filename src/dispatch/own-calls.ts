import type {
  ChunkChoice,
  Completion,
  CompletionChunk,
  CompletionSink,
  ToolCall,
  ToolCallDelta,
  Usage,
} from '../completion.js';
import type { OwnCall } from '../custom-tools.js';
import { withFunctionCall } from '../legacy-functions.js';
import { renamed } from './plain-tools.js';

/** The client's view of the tools that were renamed or converted for the provider. */
export interface OwnTools {
  /** The client's names of tools, by the names that were sent. */
  readonly names: ReadonlyMap<string, string>;
  /** The client's custom tools, which were sent as functions, by its names of them. */
  readonly custom: ReadonlyMap<string, OwnCall>;
  /** Whether the client asked with OpenAI's older `functions`. */
  readonly isOlder: boolean;
}

/** A call with the client's name of its tool. */
const ownName = <Call extends ToolCall | ToolCallDelta>(call: Call, { names }: OwnTools) =>
  renamed(call, (name) => names.get(name) ?? name);

function ownCall(given: ToolCall, tools: OwnTools): ToolCall {
  const call = ownName(given, tools);
  const { name, arguments: args } = call.function;
  const own = tools.custom.get(name)?.(name, args);
  return own ? ({ id: call.id, ...own } as ToolCall) : call;
}

/** A whole answer with its calls as the client knows them. */
export const withOwnCalls = (completion: Completion, tools: OwnTools): Completion => ({
  ...completion,
  choices: completion.choices.map((choice) => {
    const { tool_calls: calls, ...message } = choice.message;
    if (!calls) return choice;
    const own = calls.map((call) => ownCall(call, tools));
    const known = { ...choice, message: { ...message, tool_calls: own } };
    return tools.isOlder ? withFunctionCall(known, 'message') : known;
  }),
});

interface HeldCall {
  readonly choice: number;
  readonly index: number;
  readonly id: string | undefined;
  readonly name: string;
  args: string;
  isTold?: boolean;
}

/**
 * Translates the calls in a stream for the client. Those of custom tools are held until the end of
 * the stream, when their JSON is complete.
 */
export class OwnCallSink implements CompletionSink {
  private readonly held: HeldCall[] = [];
  private last: CompletionChunk | null = null;

  constructor(
    private readonly sink: CompletionSink,
    private readonly tools: OwnTools,
  ) {}

  text(escaped: string, frame: string | null): void {
    this.sink.text(escaped, frame);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    this.last = chunk;
    if (!this.tools.isOlder && !chunk.choices.some(({ delta }) => delta.tool_calls)) {
      this.tellHeld(chunk.choices);
      this.sink.chunk(chunk, frame);
      return;
    }
    const choices = chunk.choices.map((choice) => {
      const { tool_calls: calls = [], ...delta } = choice.delta;
      const passed = calls
        .map((call) => ownName(call, this.tools))
        .filter((call) => !this.hold(choice.index, call));
      const own = {
        ...choice,
        delta: passed.length > 0 ? { ...delta, tool_calls: passed } : delta,
      };
      return this.tools.isOlder ? withFunctionCall(own, 'delta') : own;
    });
    this.tellHeld(choices);
    this.sink.chunk({ ...chunk, choices }, null);
  }

  counted(usage: Usage): void {
    this.sink.counted?.(usage);
  }

  end(finishReason: string | null, usage: Usage | null, unknownFinish?: string): void {
    for (const one of this.held) this.tell(one);
    const isCall = this.tools.isOlder && finishReason === 'tool_calls';
    this.sink.end(isCall ? 'function_call' : finishReason, usage, unknownFinish);
  }

  /** Tells the calls of choices that end with a chunk: clients read none behind a finish reason. */
  private tellHeld(choices: readonly ChunkChoice[]): void {
    const isOver = ({ choice }: HeldCall): boolean =>
      choices.some(({ index, finish_reason: reason }) => index === choice && reason);
    for (const one of this.held) if (isOver(one)) this.tell(one);
  }

  private tell(held: HeldCall): void {
    if (held.isTold) return;
    held.isTold = true;
    const { choice, index, id, name, args } = held;
    const call = { index, id, ...this.tools.custom.get(name)?.(name, args) } as ToolCallDelta;
    const choices = [{ index: choice, delta: { tool_calls: [call] }, finish_reason: null }];
    const { usage: _usage, ...head }: Partial<CompletionChunk> = this.last ?? {};
    this.sink.chunk({ ...head, choices }, null);
  }

  /** Keeps a piece of a custom tool's call. @returns false: it is of another call */
  private hold(choice: number, piece: ToolCallDelta): boolean {
    const { index, id, function: of } = piece;
    const known = this.held.find((call) => call.choice === choice && call.index === index);
    if (known) known.args += of?.arguments ?? '';
    else if (of?.name !== undefined && this.tools.custom.has(of.name))
      this.held.push({ choice, index, id, name: of.name, args: of.arguments ?? '' });
    else return false;
    return true;
  }
}
