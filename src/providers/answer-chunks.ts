import {
  type ChunkDelta,
  type CompletionSink,
  escapeJson,
  toOpenAIUsage,
  type ToolCallDelta,
  unescapeJson,
  type UrlCitation,
  type Usage,
} from '../completion.js';
import { CompletionBuilder } from '../completion-builder.js';
import { isObject } from '../text/is-object.js';
import type { CompletionAnswer } from './adapter.js';

/** Fields of a chunk's choice beside its delta. */
interface ChoiceFields {
  readonly logprobs?: unknown;
  readonly finish_reason?: string | null;
}

/** Writes an answer that is translated, piece by piece, as chunks of choice 0. */
export class AnswerChunks {
  /** Seconds since 1970. */
  created = Math.floor(Date.now() / 1000);
  /** Characters of the answer's text so far, in UTF-16 units. */
  textLength = 0;
  /** Of each tool call, whether some of its arguments have come. */
  private readonly calls: boolean[] = [];

  /**
   * @param id of the answer; undefined: not known yet
   * @param model the provider's name of it
   */
  constructor(
    private readonly sink: CompletionSink,
    public id: string | undefined,
    public model: string,
  ) {}

  get callCount(): number {
    return this.calls.length;
  }

  hasArguments(index: number): boolean {
    return this.calls[index] === true;
  }

  /** @param logprobs those of the text, in the internal dialect; absent: none */
  text(text: string | undefined, logprobs?: object): void {
    if (!text) return;
    this.textLength += text.length;
    if (logprobs) this.write({ content: text }, { logprobs });
    else this.sink.text(escapeJson(text), null);
  }

  /** @param escaped text as a byte string, as in `CompletionSink` */
  escapedText(escaped: string): void {
    if (escaped === '') return;
    const isPlain = !/[^ -[\]-~]/.test(escaped);
    this.textLength += isPlain ? escaped.length : unescapeJson(escaped).length;
    this.sink.text(escaped, null);
  }

  /**
   * Begins a tool call.
   * @param args its arguments as JSON text, as far as they have come
   * @returns its index, by default the next one
   */
  startCall(id: string, name: string, args = '', index = this.calls.length): number {
    this.calls[index] = args !== '';
    this.writeCall({ index, id, type: 'function', function: { name, arguments: args } });
    return index;
  }

  /** Adds to a call's arguments; does nothing for a call that was not begun. */
  addArguments(index: number, piece: string): void {
    if (piece === '' || this.calls[index] === undefined) return;
    this.calls[index] = true;
    this.writeCall({ index, function: { arguments: piece } });
  }

  /** Adds all of a call's arguments, if none have come: clients parse them, and '' is not JSON. */
  endCall(index: number, args = '{}'): void {
    if (this.calls[index] === false) this.addArguments(index, args);
  }

  /** Anything else. */
  write(delta: ChunkDelta, fields?: ChoiceFields): void {
    this.sink.chunk(
      {
        id: this.id,
        object: 'chat.completion.chunk',
        created: this.created,
        model: this.model,
        choices: [{ index: 0, delta, finish_reason: null, ...fields }],
      },
      null,
    );
  }

  private writeCall(call: ToolCallDelta): void {
    this.write({ tool_calls: [call] });
  }
}

/**
 * A citation with what SDKs require; one that has it stays the same object. A citation whose place is
 * unknown spans nothing.
 */
export function completeCitation(annotation: Record<string, unknown>): Record<string, unknown> {
  const { url_citation: cited } = annotation;
  if (!isObject(cited)) return annotation;
  const { title, start_index: start, end_index: end } = cited;
  const isComplete =
    typeof title === 'string' && typeof start === 'number' && typeof end === 'number';
  return isComplete
    ? annotation
    : {
        ...annotation,
        url_citation: {
          ...cited,
          title: title ?? '',
          start_index: start ?? 0,
          end_index: end ?? 0,
        },
      };
}

/** A citation of a page. @param start,end what it applies to in the answer's text, in UTF-16 units */
export const urlCitation = (
  { url, title, content }: { url: string; title?: string | null; content?: string | null },
  start: number,
  end: number,
): UrlCitation => ({
  type: 'url_citation',
  url_citation: {
    url,
    ...(title ? { title } : {}),
    ...(content ? { content } : {}),
    start_index: start,
    end_index: end,
  },
});

/**
 * A whole body, read as the stream that would have brought it, so that a dialect is translated in
 * one place.
 * @param read writes the answer to the sink
 * @param model stands in where the answer names none
 */
export function collectAnswer(read: (sink: CompletionSink) => void, model = ''): CompletionAnswer {
  const builder = new CompletionBuilder();
  const ended: { reason: string | null; usage: Usage | null } = { reason: null, usage: null };
  read({
    text: (escaped) => builder.text(escaped),
    chunk: (chunk) => builder.chunk(chunk),
    end: (reason, usage) => Object.assign(ended, { reason, usage }),
  });
  const { reason, usage } = ended;
  const completion = builder.build(reason, { id: '', model });
  if (usage) completion.usage = toOpenAIUsage(usage);
  return { completion, usage };
}
