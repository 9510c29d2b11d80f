import {
  type ChunkChoice,
  type CompletionChunk,
  type CompletionSink,
  type EventReader,
  type Usage,
} from '../../completion.js';
import { endOfJsonText } from '../../text/exact-json.js';
import { isObject } from '../../text/is-object.js';
import { hasContent } from '../has-content.js';
import type { GatewayError } from '../../errors.js';
import { cutShort, unreadable } from '../failure.js';
import { isExcessive } from '../json.js';
import { splitContentParts } from './answer.js';
import { errorIn, openAIFailureUnder200 } from './failure.js';
import { readFinishReason } from './finish-reason.js';
import { StreamedCalls } from './tool-calls.js';
import { readChunkUsage } from './usage.js';

/** In characters; a longer line is not a chunk of a conversation. */
const maxLineLength = 32 * 1024 * 1024;
const contentKey = '"content":"';
/** The framing of events that take the fast path; all others take the slow path. */
const linePrefix = 'data: ';
const eventEnd = '\n\n';
/** Content of a JSON string without escapes, and any valid content. */
const plainText = /^[^"\\\x00-\x1f]*$/;
const jsonText = /^(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/;
/** UTF-8's byte order mark, as a byte string. */
const byteOrderMark = '\xef\xbb\xbf';

/**
 * Reads a stream in the internal dialect. This is the hot path of the whole gateway: bytes stay a
 * latin1 string, and a chunk that differs from the previous one only in its text is recognised by
 * its envelope (everything before and after the text) and not parsed (measured: 8.6 µs a chunk with
 * JSON.parse, 5.9 without). Everything else takes the slow path, where a chunk that some client could
 * not read is corrected; then its frame is not passed on.
 *
 * The answer is complete with a finish reason and either `[DONE]` or the end of the stream.
 */
export const openAIEvents = (sink: CompletionSink, provider: string): EventReader =>
  new OpenAIEventReader(sink, provider);

class OpenAIEventReader implements EventReader {
  /** A line that is not complete yet. */
  private rest = '';
  /** Data lines of an event whose JSON is not complete yet. */
  private partialData = '';
  /** Characters that were parsed in vain, because more lines of the event followed. */
  private triedLength = 0;
  /** The envelope of the previous text chunk. */
  private head = '';
  private tail = '';
  /** Whether chunks of that envelope have to be written anew. */
  private isMended = false;
  /** Whether bytes have come, an event, and one with content. */
  private hasRead = false;
  private hasEvents = false;
  private hasSaid = false;
  private unknownFinish: string | undefined;
  private finishReason: string | null = null;
  private usage: Usage | null = null;
  private done = false;
  private readonly calls = new StreamedCalls();

  constructor(
    private readonly sink: CompletionSink,
    private readonly provider: string,
  ) {}

  push(bytes: Buffer): void {
    this.hasRead ||= bytes.length > 0;
    const read = bytes.toString('latin1');
    const text = this.rest === '' ? read : this.rest + read;
    if (!read.includes('\n')) {
      // the pieces of a line are searched only once it is complete
      this.keep(text);
      return;
    }
    let start = 0;
    for (;;) {
      if (this.head !== '') start = this.passSameEnvelopes(text, start);
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
      throw unreadable(this.provider, 'an event of more than 32 MiB');
  }

  close(): void {
    if (this.rest !== '') {
      this.line(this.rest, 0, this.rest.length);
      this.rest = '';
    }
    if (this.done) return;
    if (this.partialData !== '') throw cutShort(this.provider);
    if (this.finishReason === null) throw this.unended();
    this.finish();
  }

  /** The error for a stream that ended without a finish reason. */
  private unended(): GatewayError {
    if (!this.hasEvents && this.hasRead)
      return unreadable(this.provider, 'a stream without an event');
    return cutShort(this.provider, this.hasSaid ? 'once' : 'retry');
  }

  private line(text: string, start: number, end: number): void {
    if (end === start) {
      this.blank();
      return;
    }
    const at =
      text.charCodeAt(start) === 0xef && text.startsWith(byteOrderMark, start) ? start + 3 : start;
    // only data lines matter: error events carry their error in the data too
    if (text.charCodeAt(at) !== 100 || !text.startsWith('data:', at)) return;
    const from = text.charCodeAt(at + 5) === 32 ? at + 6 : at + 5;
    this.data(text.slice(from, end));
  }

  /** An empty line ends an event, so data that is not complete JSON by now never will be. */
  private blank(): void {
    if (this.partialData !== '') throw unreadable(this.provider, 'an event is not JSON');
  }

  private data(payload: string): void {
    if (this.partialData !== '') {
      // JSON allows a space in place of the line break, and the frame stays one line
      this.parse(`${this.partialData} ${payload}`);
      return;
    }
    const trimmed = payload.trim();
    if (trimmed === '[DONE]') this.finish();
    // empty events only keep the connection alive; events after the end marker are not part of the
    // answer
    else if (trimmed !== '' && !this.done) this.parse(payload);
  }

  /**
   * Passes on the events that follow with the envelope of the previous chunk. Slices are compared
   * because `startsWith` goes character by character and is four times slower.
   * @returns where the first other event starts
   */
  private passSameEnvelopes(text: string, start: number): number {
    const { head, tail } = this;
    while (!this.done && this.partialData === '') {
      const from = start + head.length;
      if (text.slice(start, from) !== head) break;
      const quote = text.indexOf(tail, from);
      // an event with empty text has no content and takes the slow path
      if (quote <= from) break;
      const end = quote + tail.length;
      const escaped = text.slice(from, quote);
      if (!plainText.test(escaped) && !jsonText.test(escaped)) break;
      const frame = this.isMended
        ? null
        : text.slice(start + linePrefix.length, end - eventEnd.length);
      this.sink.text(escaped, frame);
      start = end;
    }
    return start;
  }

  private parse(payload: string): void {
    const bytes = Buffer.from(payload, 'latin1');
    if (isExcessive(bytes)) throw unreadable(this.provider, 'an event of too many values');
    let chunk: CompletionChunk | null;
    try {
      chunk = JSON.parse(bytes.toString('utf8')) as CompletionChunk | null;
    } catch {
      // an event may have several data lines
      this.partialData = payload;
      this.triedLength += payload.length;
      if (this.triedLength > maxLineLength)
        throw unreadable(this.provider, 'an event of too many lines');
      return;
    }
    this.partialData = '';
    this.triedLength = 0;
    this.hasEvents = true;
    if (typeof chunk !== 'object' || chunk === null)
      throw unreadable(this.provider, 'an event is not an object');
    const error = errorIn(chunk);
    if (error !== null) throw openAIFailureUnder200(this.provider, error);
    this.pass(chunk, payload);
    const usage = readChunkUsage(chunk);
    this.usage = usage ?? this.usage;
    // before the end of the answer, it counts what there is so far
    if (usage && this.finishReason !== null) this.sink.counted?.(usage);
  }

  private pass(chunk: CompletionChunk, payload: string): void {
    const { choices }: { choices: unknown } = chunk;
    // the chunk then differs from the payload, which cannot be passed on
    let rewritten = !Array.isArray(choices) || !choices.every(isObject);
    if (rewritten)
      chunk.choices = [choices].flat().filter((one): one is ChunkChoice => isObject(one));
    for (const [position, choice] of chunk.choices.entries())
      if (this.mend(choice, position)) rewritten = true;
    if (!chunk.usage && this.passAsText(chunk, payload, rewritten)) return;
    this.hasSaid ||= hasContent(chunk);
    this.sink.chunk(chunk, rewritten ? null : payload);
  }

  /** Corrects a choice in place. @returns whether anything was changed */
  private mend(choice: ChunkChoice, position: number): boolean {
    let changed = false;
    if (!isObject(choice.delta)) {
      // Azure's content filter sends none; some servers call it as in a whole answer
      choice.delta = isObject(choice['message']) ? choice['message'] : {};
      delete choice['message'];
      changed = true;
    }
    if (typeof choice.index !== 'number') {
      choice.index = position;
      changed = true;
    }
    if (Array.isArray(choice.delta.content)) {
      splitContentParts(choice.delta);
      changed = true;
    }
    if (this.calls.mend(choice)) changed = true;
    const written: unknown = choice.finish_reason;
    if (written === undefined || written === null) return changed;
    const hasCalls = this.calls.has(choice.index);
    const { reason, unknown } = readFinishReason(this.provider, written, hasCalls);
    this.unknownFinish ??= unknown;
    this.finishReason = reason ?? this.finishReason;
    if (reason === written) return changed;
    choice.finish_reason = reason;
    return true;
  }

  /**
   * Passes on a chunk that contains only text, and remembers its envelope.
   * @returns false for any other
   */
  private passAsText(chunk: CompletionChunk, payload: string, rewritten: boolean): boolean {
    const choice = chunk.choices[0];
    if (!choice || chunk.choices.length > 1 || choice.index !== 0) return false;
    if (choice.finish_reason || choice.logprobs) return false;
    const { content, ...others } = choice.delta;
    if (typeof content !== 'string' || content === '' || Array.isArray(others.annotations))
      return false;
    if (hasContent({ choices: [{ index: 0, delta: others }] })) return false;
    const start = payload.indexOf(contentKey) + contentKey.length;
    if (start - contentKey.length !== payload.lastIndexOf(contentKey)) return false;
    if (start < contentKey.length) return false;
    const end = endOfJsonText(payload, start) - 1;
    this.head = linePrefix + payload.slice(0, start);
    this.tail = payload.slice(end) + eventEnd;
    this.isMended = rewritten;
    this.hasSaid = true;
    this.sink.text(payload.slice(start, end), rewritten ? null : payload);
    return true;
  }

  /** @throws GatewayError where the provider has not said why the answer ends */
  private finish(): void {
    if (this.done) return;
    this.done = true;
    const finishReason = this.finishReason ?? (this.calls.areWhole ? 'tool_calls' : null);
    if (finishReason === null && this.hasSaid)
      throw unreadable(this.provider, 'its stream ended without a finish reason');
    this.sink.end(finishReason, this.usage, this.unknownFinish);
  }
}
