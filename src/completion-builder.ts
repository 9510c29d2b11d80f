import {
  type Completion,
  type CompletionChoice,
  type CompletionChunk,
  type ToolCall,
  unescapeJson,
  type UrlCitation,
} from './completion.js';
import { isObject, nameSet, objectsIn } from './text/is-object.js';

const newChoice = (index: number): CompletionChoice => ({
  index,
  message: { role: 'assistant', content: null },
  finish_reason: null,
});

/** Puts the pieces of a stream together to the completion that they were pieces of. */
export class CompletionBuilder {
  private id = '';
  private created = 0;
  private model = '';
  private readonly choices = new Map<number, CompletionChoice>();
  private escapedText = '';

  /** Text of choice 0, as CompletionSink has it. */
  text(escaped: string): void {
    this.escapedText += escaped;
  }

  chunk(chunk: CompletionChunk): void {
    this.id ||= chunk.id ?? '';
    this.created ||= chunk.created ?? 0;
    this.model ||= chunk.model ?? '';
    for (const { index, delta, finish_reason: finishReason, ...rest } of chunk.choices) {
      const { logprobs, stop_reason: stopReason } = rest;
      const choice = this.choice(index);
      if (index === 0 && delta.content) this.takeText();
      addDelta(choice, delta);
      if (finishReason) choice.finish_reason = finishReason;
      if (stopReason) choice['stop_reason'] = stopReason;
      if (logprobs) choice.logprobs = mergeLogprobs(choice.logprobs, logprobs);
    }
  }

  /** What has come so far. `finishReason` stands in where no chunk named one. */
  build(finishReason: string | null, fallback: { id: string; model: string }): Completion {
    this.choice(0).finish_reason ??= finishReason;
    this.takeText();
    return {
      id: this.id || fallback.id,
      object: 'chat.completion',
      created: this.created || Math.floor(Date.now() / 1000),
      model: this.model || fallback.model,
      choices: [...this.choices.values()].sort((a, b) => a.index - b.index),
    };
  }

  private choice(index: number): CompletionChoice {
    let choice = this.choices.get(index);
    if (!choice) this.choices.set(index, (choice = newChoice(index)));
    return choice;
  }

  private takeText(): void {
    if (this.escapedText === '') return;
    const { message } = this.choice(0);
    message.content = (message.content ?? '') + unescapeJson(this.escapedText);
    this.escapedText = '';
  }
}

/** Fields whose empty texts and lists add nothing. */
const growing = nameSet('content reasoning_content refusal annotations reasoning_details');

function addDelta(
  { message }: CompletionChoice,
  delta: CompletionChunk['choices'][number]['delta'],
): void {
  // not by a rest pattern and a list of entries, which cost several µs
  for (const field of Object.keys(delta)) {
    const value = delta[field];
    if (field === 'role') continue;
    if (field === 'tool_calls')
      for (const call of delta.tool_calls ?? []) addToolCall((message.tool_calls ??= []), call);
    else if (!growing.has(field) || (value as { length?: number } | null | undefined)?.length)
      message[field] = merged(message[field], value);
  }
}

/** Merges a field: strings and lists grow, of anything else the latest value counts. */
function merged(before: unknown, more: unknown): unknown {
  if (typeof before === 'string' && typeof more === 'string') return before + more;
  if (Array.isArray(before) && Array.isArray(more))
    return [...(before as unknown[]), ...(more as unknown[])];
  return more ?? before;
}

function addToolCall(
  calls: ToolCall[],
  delta: {
    index: number;
    id?: string;
    function?: { name?: string; arguments?: string };
    [field: string]: unknown;
  },
): void {
  const { index, id, type: _type, function: called, ...others } = delta;
  const call = (calls[index] ??= {
    id: '',
    type: 'function',
    function: { name: '', arguments: '' },
  });
  if (id) call.id = id;
  call.function.name += called?.name ?? '';
  call.function.arguments += called?.arguments ?? '';
  Object.assign(call, others);
}

function mergeLogprobs(before: unknown, more: unknown): unknown {
  const first = before as { content?: unknown[] } | undefined;
  const second = more as { content?: unknown[] };
  return first?.content && second.content
    ? { ...second, content: [...first.content, ...second.content] }
    : more;
}

/** The other way: a whole completion as the chunks of a stream. */
export function chunksOf(completion: Completion): CompletionChunk[] {
  const { choices, usage: _usage, ...envelope } = completion;
  const shared = { ...envelope, object: 'chat.completion.chunk' };
  return choices.flatMap(({ index, message, finish_reason: finishReason, logprobs, ...rest }) => {
    const { tool_calls: calls, ...delta } = message;
    const toolCalls = calls?.map((call, callIndex) => ({ ...call, index: callIndex }));
    return [
      {
        ...shared,
        choices: [
          {
            ...rest,
            index,
            delta: { ...delta, ...(toolCalls ? { tool_calls: toolCalls } : {}) },
            ...(logprobs ? { logprobs } : {}),
            finish_reason: null,
          },
        ],
      },
      { ...shared, choices: [{ index, delta: {}, finish_reason: finishReason ?? 'stop' }] },
    ];
  });
}

/** A citation with what SDKs require, the same object if it has it. An unknown place is empty. */
export function completeCitation<Citation extends object>(annotation: Citation): Citation {
  const { url_citation: cited } = annotation as { url_citation?: unknown };
  if (!isObject(cited)) return annotation;
  const { title, start_index: start, end_index: end } = cited;
  const isComplete =
    typeof title === 'string' && typeof start === 'number' && typeof end === 'number';
  if (isComplete) return annotation;
  const place = { start_index: start ?? 0, end_index: end ?? 0 };
  return { ...annotation, url_citation: { ...cited, title: title ?? '', ...place } };
}

/** A delta or message whose citations have what SDKs require. */
export const withCompleteCitations = <Part extends { annotations?: UrlCitation[] }>(
  part: Part,
): Part =>
  part.annotations
    ? { ...part, annotations: objectsIn(part.annotations).map(completeCitation) }
    : part;
