import { randomUUID } from 'node:crypto';
import {
  type ChunkDelta,
  type CompletionSink,
  escapeJson,
  toOpenAIUsage,
  type ToolCallDelta,
  type UrlCitation,
  type Usage,
} from '../completion.js';
import { CompletionBuilder } from '../completion-builder.js';
import { isObject, present } from '../text/is-object.js';
import type { CompletionAnswer } from './adapter.js';
import { CallArguments } from './call-arguments.js';
import { readFinishReason } from './finish-reason.js';

/** Fields of a chunk's choice beside its delta. */
interface ChoiceFields {
  readonly logprobs?: unknown;
  readonly finish_reason?: string | null;
  readonly stop_reason?: string;
}

/** The ids of an answer's calls. Results are matched by them, so each call needs its own. */
export class CallIds {
  private readonly used = new Set<string>();

  /**
   * @param given by the provider, if anything
   * @param make makes another for a call without an id of its own
   */
  of(given: unknown, make = madeCallId): string {
    const id = typeof given === 'number' ? String(given) : given;
    const own = typeof id === 'string' && id !== '' && !this.used.has(id) ? id : make();
    this.used.add(own);
    return own;
  }
}

/** An id for a call that came without one. */
const madeCallId = (): string => `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;

/** A text, or what stands for one: a number, or an object with a text. Anything else is empty. */
export const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number'
      ? String(value)
      : isObject(value)
        ? textOf(value['text'])
        : '';

/** The parts of a content: a list, or a part or a text that a server sent bare. */
export const partsIn = <Part extends object>(content: unknown): Part[] =>
  (Array.isArray(content) && content.every(isObject)
    ? content
    : [content]
        .flat()
        .map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part))
        .filter(isObject)) as Part[];

/** Of a JSON-escaped byte string, the length of its text in UTF-16 units. */
function lengthOf(escaped: string): number {
  let length = 0;
  for (let at = 0; at < escaped.length; at++) {
    const byte = escaped.charCodeAt(at);
    if (byte === 0x5c) at += escaped.charCodeAt(at + 1) === 0x75 ? 5 : 1;
    // UTF-8's later bytes add nothing; characters of four bytes are two units
    if ((byte & 0xc0) !== 0x80) length += byte < 0xf0 ? 1 : 2;
  }
  return length;
}

/** A tool call, as far as it has come. */
interface BegunCall {
  /** Its place among those that have a name. */
  index: number;
  readonly id: string;
  readonly args: CallArguments;
  /** What the client has not got of them, because the name is not known yet; null: nothing. */
  held: string | null;
  readonly kind: ToolCallDelta['kind'];
}

/** Writes an answer that is translated, piece by piece, as chunks of choice 0. */
export class AnswerChunks {
  /** Seconds since 1970. */
  created = Math.floor(Date.now() / 1000);
  /** Characters of the answer's text so far, in UTF-16 units. */
  textLength = 0;
  /** By the dialect's index. */
  private readonly calls = new Map<number, BegunCall>();
  private readonly callIds = new CallIds();
  private named = 0;

  /**
   * @param id of the answer; undefined: not known yet
   * @param model the provider's name of it
   */
  constructor(
    private readonly sink: CompletionSink,
    public id: string | undefined,
    public model: string,
  ) {}

  hasArguments(index: number): boolean {
    return this.calls.get(index)?.args.hasAny === true;
  }

  /** @param logprobs those of the text, in the internal dialect; absent: none */
  text(given: unknown, logprobs?: object): void {
    const text = textOf(given);
    if (text === '') return;
    this.textLength += text.length;
    if (logprobs) this.write({ content: text }, { logprobs });
    else this.sink.text(escapeJson(text), null);
  }

  /** @param escaped text as a byte string, as in `CompletionSink` */
  escapedText(escaped: string): void {
    if (escaped === '') return;
    this.textLength += lengthOf(escaped);
    this.sink.text(escaped, null);
  }

  /**
   * Begins a tool call. One without a name is written with the name that `nameCall` gives it.
   * @param given what the provider sent as its id, if anything
   * @param sent its arguments, as far as they have come
   * @param key what the other methods name it by, by default its index
   * @param kind where the client's own body was forwarded
   * @returns the key
   */
  startCall(
    given: unknown,
    name: unknown,
    sent?: unknown,
    key = this.calls.size,
    kind?: ToolCallDelta['kind'],
  ): number {
    const args = new CallArguments(!kind?.isCustom);
    const id = this.callIds.of(given);
    this.calls.set(key, { index: 0, id, args, held: args.add(sent), kind });
    if (textOf(name) !== '') this.nameCall(key, name);
    return key;
  }

  /** Names a call that has no name yet. */
  nameCall(key: number, name: unknown): void {
    const call = this.calls.get(key);
    if (!call || call.held === null) return;
    const { id, held, kind } = call;
    call.held = null;
    // clients join the pieces of a call by its index, and expect the next one
    const index = (call.index = this.named++);
    const called = { name: textOf(name), arguments: held };
    this.writeCall({ index, id, type: 'function', function: called, ...present({ kind }) });
  }

  /** Adds to a call's arguments; does nothing for a call that was not begun. */
  addArguments(key: number, given: unknown): void {
    const call = this.calls.get(key);
    if (call) this.tell(call, call.args.add(given));
  }

  /** Adds all of a call's arguments, if none have come: clients parse them, and '' is not JSON. */
  endCall(key: number, args?: unknown): void {
    const call = this.calls.get(key);
    if (!call) return;
    if (!call.args.hasAny) this.tell(call, call.args.add(args));
    this.tell(call, call.args.end());
  }

  private tell(call: BegunCall, piece: string): void {
    if (piece === '') return;
    if (call.held === null) this.writeCall({ index: call.index, function: { arguments: piece } });
    else call.held += piece;
  }

  /**
   * Ends the answer, and the calls that were not ended.
   * @param reason as the provider wrote it
   * @param stopSequence at which it stopped, if the provider names it
   * @throws GatewayError as `readFinishReason`
   */
  end(provider: string, reason: unknown, usage: Usage | null, stopSequence?: unknown): void {
    // nobody can run a call without a name
    for (const [key, { held }] of this.calls)
      if (held === null) this.endCall(key);
      else this.calls.delete(key);
    const hasCalls = this.calls.size > 0;
    const finish = readFinishReason(provider, reason, hasCalls);
    // clients take an answer without one for broken off
    const byContent = hasCalls ? 'tool_calls' : this.textLength > 0 ? 'stop' : null;
    // as vLLM writes it
    if (finish.reason === 'stop' && typeof stopSequence === 'string' && stopSequence !== '')
      this.write({}, { finish_reason: 'stop', stop_reason: stopSequence });
    this.sink.end(finish.reason ?? byContent, usage, finish.unknown);
  }

  /** Anything else. */
  write(delta: ChunkDelta, fields?: ChoiceFields): void {
    this.sink.chunk(
      {
        id: typeof this.id === 'number' ? String(this.id) : this.id,
        object: 'chat.completion.chunk',
        created: this.created,
        model: textOf(this.model),
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
 * A citation of a page.
 * @param start,end what it applies to in the answer's text, in UTF-16 units; absent: not known
 */
export const urlCitation = (
  { url, title, content }: { url: string; title?: string | null; content?: string | null },
  start?: number,
  end?: number,
): UrlCitation => ({
  type: 'url_citation',
  url_citation: {
    url,
    ...(title ? { title } : {}),
    ...(content ? { content } : {}),
    ...(start === undefined ? {} : { start_index: start }),
    ...(end === undefined ? {} : { end_index: end }),
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
  const ended: Pick<CompletionAnswer, 'usage' | 'unknownFinish'> & { reason: string | null } = {
    reason: null,
    usage: null,
  };
  read({
    text: (escaped) => builder.text(escaped),
    chunk: (chunk) => builder.chunk(chunk),
    end: (reason, usage, unknownFinish) => Object.assign(ended, { reason, usage, unknownFinish }),
  });
  const { reason, usage, unknownFinish } = ended;
  const completion = builder.build(reason, { id: '', model });
  if (usage) completion.usage = toOpenAIUsage(usage);
  return { completion, usage, ...(unknownFinish === undefined ? {} : { unknownFinish }) };
}
