import {
  type ChunkDelta,
  type CompletionChunk,
  type CompletionSink,
  type EventReader,
  hasContent,
  type Usage,
} from '../../completion.js';
import { GatewayError } from '../../errors.js';
import { cutShort, unreadable } from '../failure.js';
import { errorIn, openAIFailureUnder200 } from './failure.js';
import { CallNumbers } from './tool-calls.js';
import { readOpenAIUsage } from './usage.js';

/** A single line that is longer than this is no chunk of a conversation. */
const maxLineLength = 32 * 1024 * 1024;
const contentKey = '"content":"';
/** How an event that takes the fast way begins and ends; one that is written otherwise takes the slow one. */
const linePrefix = 'data: ';
const eventEnd = '\n\n';
/** Text that needs no second look between the quotes of a JSON string, and any that may stand there. */
const plainText = /^[^"\\\x00-\x1f]*$/;
const jsonText = /^(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/;
/** UTF-8's byte order mark, as a byte string. */
const byteOrderMark = '\xef\xbb\xbf';

export interface OpenAIEventsOptions {
  provider: string;
  /** Whether the provider closes its streams with `[DONE]`; xAI leaves it out at times and its finish reason must do. */
  endsWithDone: boolean;
}

/**
 * Reads a stream in the internal dialect. The hot path of the whole gateway: bytes stay a latin1 string, and a chunk that
 * differs from the one before it only in its text is recognised by its envelope (all before and all after the text) and
 * not parsed (measured: 8.6 µs a chunk with JSON.parse, 5.9 without). Whatever else comes takes the slow way.
 */
export function openAIEvents(sink: CompletionSink, options: OpenAIEventsOptions): EventReader {
  return new OpenAIEventReader(sink, options);
}

class OpenAIEventReader implements EventReader {
  private rest = '';
  private partialData = '';
  private head = '';
  private tail = '';
  private finishReason: string | null = null;
  private usage: Usage | null = null;
  private done = false;
  private readonly calls = new CallNumbers();

  constructor(
    private readonly sink: CompletionSink,
    private readonly options: OpenAIEventsOptions,
  ) {}

  push(bytes: Buffer): void {
    const read = bytes.toString('latin1');
    const text = this.rest === '' ? read : this.rest + read;
    if (!read.includes('\n')) {
      // a line that comes in pieces is put together once, at its end
      this.keep(text);
      return;
    }
    let start = 0;
    for (;;) {
      if (this.head !== '') start = this.sameEnvelopes(text, start);
      const newline = text.indexOf('\n', start);
      if (newline === -1) break;
      if (newline > start)
        this.line(text, start, text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline);
      else this.blank();
      start = newline + 1;
    }
    this.keep(text.slice(start));
  }

  private keep(rest: string): void {
    this.rest = rest;
    if (rest.length > maxLineLength)
      throw unreadable(this.options.provider, 'an event of more than 32 MiB');
  }

  close(): void {
    if (this.rest !== '') {
      this.line(this.rest, 0, this.rest.length);
      this.rest = '';
    }
    if (this.done) return;
    if (this.partialData !== '' || this.options.endsWithDone || this.finishReason === null)
      throw cutShort(this.options.provider);
    this.finish();
  }

  private line(text: string, start: number, end: number): void {
    if (end === start) {
      this.blank();
      return;
    }
    const at =
      text.charCodeAt(start) === 0xef && text.startsWith(byteOrderMark, start) ? start + 3 : start;
    // only data matters here: error events carry their error in the data as well
    if (text.charCodeAt(at) !== 100 || !text.startsWith('data:', at)) return;
    const from = text.charCodeAt(at + 5) === 32 ? at + 6 : at + 5;
    this.data(text.slice(from, end));
  }

  /** An empty line ends an event: data that is no JSON by now never will be. */
  private blank(): void {
    if (this.partialData !== '')
      throw unreadable(this.options.provider, 'an event that is not JSON');
  }

  private data(payload: string): void {
    if (this.partialData !== '') {
      // between two lines of JSON a space is as good as a line break, and the frame stays one line
      this.parsed(`${this.partialData} ${payload}`);
      return;
    }
    const trimmed = payload.trim();
    if (trimmed === '[DONE]') this.finish();
    // an empty event is a sign of life; what comes after the end marker is none of the answer
    else if (trimmed !== '' && !this.done) this.parsed(payload);
  }

  /**
   * Passes on the events that are the previous chunk with another text, as many as follow each other, and says where the next one
   * starts. Pieces are compared by slicing: `startsWith` goes character by character and is four times slower.
   */
  private sameEnvelopes(text: string, start: number): number {
    const { head, tail } = this;
    while (!this.done && this.partialData === '') {
      const from = start + head.length;
      if (text.slice(start, from) !== head) break;
      const quote = text.indexOf(tail, from);
      // no text is no content, and takes the slow way
      if (quote <= from) break;
      const end = quote + tail.length;
      const escaped = text.slice(from, quote);
      if (!plainText.test(escaped) && !jsonText.test(escaped)) break;
      this.sink.text(escaped, text.slice(start + linePrefix.length, end - eventEnd.length));
      start = end;
    }
    return start;
  }

  private parsed(payload: string): void {
    let chunk: CompletionChunk | null;
    try {
      chunk = JSON.parse(Buffer.from(payload, 'latin1').toString('utf8')) as CompletionChunk | null;
    } catch {
      // an event may be spread over several data lines
      this.partialData = payload;
      return;
    }
    this.partialData = '';
    if (typeof chunk !== 'object' || chunk === null)
      throw unreadable(this.options.provider, 'an event that is not an object');
    const error = errorIn(chunk);
    if (error !== null) throw openAIFailureUnder200(this.options.provider, error);
    const complete = Array.isArray(chunk.choices);
    if (!complete) chunk.choices = [];
    this.usage = readChunkUsage(chunk) ?? this.usage;
    this.pass(chunk, payload, !complete);
  }

  /** @param rewritten the chunk is no longer what the payload says, which then cannot be passed on as it is */
  private pass(chunk: CompletionChunk, payload: string, rewritten: boolean): void {
    for (const [position, choice] of chunk.choices.entries()) {
      if (typeof choice.delta !== 'object' || (choice.delta as ChunkDelta | null) === null)
        choice.delta = {};
      if (choice.finish_reason) this.finishReason = choice.finish_reason;
      if (typeof choice.index !== 'number') {
        choice.index = position;
        rewritten = true;
      }
      if (Array.isArray(choice.delta.content)) {
        splitContentParts(choice.delta);
        rewritten = true;
      }
      if (this.calls.renumber(choice)) rewritten = true;
    }
    if (rewritten || chunk.usage || !this.passAsText(chunk, payload))
      this.sink.chunk(chunk, rewritten ? null : payload);
  }

  /** Remembers the envelope of a chunk that holds nothing but text, and passes the text on. */
  private passAsText(chunk: CompletionChunk, payload: string): boolean {
    const choice = chunk.choices[0];
    if (
      chunk.choices.length !== 1 ||
      !choice ||
      choice.index !== 0 ||
      choice.finish_reason ||
      choice.logprobs
    )
      return false;
    const { content, ...others } = choice.delta;
    if (
      typeof content !== 'string' ||
      content === '' ||
      hasContent({ choices: [{ index: 0, delta: others }] })
    )
      return false;
    if (
      Array.isArray(others.annotations) ||
      payload.indexOf(contentKey) !== payload.lastIndexOf(contentKey)
    )
      return false;
    const start = payload.indexOf(contentKey) + contentKey.length;
    const end = endOfString(payload, start);
    if (start < contentKey.length || end === -1) return false;
    this.head = linePrefix + payload.slice(0, start);
    this.tail = payload.slice(end) + eventEnd;
    this.sink.text(payload.slice(start, end), payload);
    return true;
  }

  private finish(): void {
    if (this.done) return;
    this.done = true;
    this.sink.end(this.finishReason ?? (this.calls.any ? 'tool_calls' : null), this.usage);
  }
}

type UsageHolder = { usage?: CompletionChunk['usage'] } | null | undefined;

/** Usage stands at the top, with Groq also under its own name, with Moonshot in the choice. */
function readChunkUsage(chunk: CompletionChunk): Usage | null {
  return readOpenAIUsage(
    chunk.usage ??
      (chunk['x_groq'] as UsageHolder)?.usage ??
      (chunk.choices[0] as UsageHolder)?.usage,
  );
}

/** Where the JSON string that starts at `from` is closed, or -1. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 34) return at;
  }
  return -1;
}

interface MistralPart {
  type?: string;
  text?: string;
  thinking?: { text?: string }[] | string;
}

/** Mistral's reasoning models send content as a list of text and thinking parts. */
export function splitContentParts(message: {
  content?: unknown;
  reasoning_content?: string | null;
}): void {
  let text = '';
  let reasoning = '';
  for (const part of message.content as MistralPart[]) {
    if (part.type === 'text') text += part.text ?? '';
    else if (typeof part.thinking === 'string') reasoning += part.thinking;
    else if (Array.isArray(part.thinking))
      reasoning += part.thinking.map((piece) => piece.text ?? '').join('');
  }
  message.content = text;
  if (reasoning) message.reasoning_content = reasoning;
}

/** For readers of whole bodies: the same error whatever the JSON is. */
export function notACompletion(provider: string): GatewayError {
  return unreadable(provider, 'a body that is not a completion');
}
