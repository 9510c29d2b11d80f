import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { EventReader } from '../completion.js';
import { endOfJsonText } from '../text/exact-json.js';
import { validUtf8 } from '../text/valid-utf8.js';
import { parseJson } from './json.js';

/** In characters. A stream without line ends must not fill the memory. */
const maxEventLength = 32 * 1024 * 1024;

/** Events that bring nothing but a piece of text, which most events of an answer are. */
export interface TextEvents {
  /** The field that has the text; no other field of these events has its name. */
  readonly field: string;
  /** Fields whose values differ from event to event and mean nothing. Absent: none. */
  readonly varying?: RegExp;
  /**
   * Takes the text of an event that was recognised without parsing it.
   * @param escaped the text, and `data` the event's, as byte strings
   */
  onText(escaped: string, name: string | undefined, data: string): void;
}

/**
 * Reads server-sent events of providers whose answers are translated. The internal dialect has its
 * own, faster reader.
 * @param onEvent called for each event with its name (undefined if none was sent) and its joined
 *   data lines; returns whether it is one of `texts`
 * @param onClose called when the provider closes the stream; throws if the answer is incomplete
 * @param texts absent: `onEvent` gets all events
 */
export function sseReader(
  onEvent: (event: string | undefined, data: string) => unknown,
  onClose: () => void,
  texts?: TextEvents,
): EventReader {
  const decoder = new StringDecoder('utf8');
  const envelope = texts && new TextEnvelope(texts);
  const parser = createParser({
    onEvent: ({ event, data }) => {
      // some servers separate events by one newline
      const lines = data.includes('\n') && parseJson(data) === null ? data.split('\n') : [data];
      for (const line of lines) {
        // an event without JSON only keeps the connection alive
        if (!/^\s*[[{]/.test(line)) continue;
        if (onEvent(event, line) === true) envelope?.learn(event, line);
      }
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
    maxBufferSize: maxEventLength,
  });
  let isStarted = false;
  const feed = (bytes: Buffer): void => {
    const text = decoder.write(bytes);
    // the decoder keeps a byte order mark, and the parser does not recognise it once decoded
    parser.feed(isStarted || text.charCodeAt(0) !== 0xfeff ? text : text.slice(1));
    isStarted ||= text !== '';
  };
  return {
    push: envelope ? (bytes) => envelope.push(bytes, feed) : feed,
    close() {
      // some providers omit the empty line after their last event
      parser.feed(`${decoder.end()}\n\n`);
      onClose();
    },
  };
}

/** JSON's text between its quotes. */
const jsonText = String.raw`([^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*)`;
const eventEnd = '\n\n';
/** Where every event has another envelope, learning them costs more than it saves. */
const maxUnused = 20;

/** Streams of a provider have the same envelopes, and a pattern takes 50 µs to compile. */
const patterns = new Map<string, RegExp>();
const maxPatterns = 100;

/**
 * Recognises events that differ from an earlier one in their text alone, and hands them on without
 * parsing them: that costs a third (measured 2026-11-26).
 */
class TextEnvelope {
  private name: string | undefined;
  private prefix = '';
  private pattern: RegExp | null = null;
  /** Envelopes that no event has had since. */
  private unused = 0;
  /** Whether what comes next begins an event. */
  private isBetween = true;

  constructor(private readonly texts: TextEvents) {}

  /** Remembers what an event has around its text; what is not ASCII is not remembered. */
  learn(name: string | undefined, data: string): void {
    const key = new RegExp(`"${this.texts.field}":\\s*"`).exec(data);
    if (!key) return;
    const start = key.index + key[0].length;
    const end = endOfJsonText(data, start) - 1;
    const [head, tail] = [data.slice(0, start), data.slice(end)];
    if (/[^ -~]/.test(head + tail) || this.unused > maxUnused) return;
    this.name = name;
    this.prefix = name === undefined ? 'data: ' : `event: ${name}\ndata: `;
    const pattern = this.patternOf(head, tail);
    if (pattern === this.pattern) return;
    this.pattern = pattern;
    this.unused++;
  }

  /** @param feed gets all other bytes */
  push(bytes: Buffer, feed: (bytes: Buffer) => void): void {
    const text = validUtf8(bytes).toString('latin1');
    let start = 0;
    while (start < text.length) {
      if (this.isBetween) start = this.pass(text, start);
      if (start === text.length) return;
      const end = text.indexOf(eventEnd, start);
      this.isBetween = end !== -1;
      const next = this.isBetween ? end + eventEnd.length : text.length;
      feed(start === 0 && next === text.length ? bytes : bytes.subarray(start, next));
      start = next;
    }
  }

  /** @returns where the first other event starts */
  private pass(text: string, start: number): number {
    const { pattern, texts, name, prefix } = this;
    if (!pattern) return start;
    let from = start;
    for (;;) {
      pattern.lastIndex = from;
      const found = pattern.exec(text);
      if (!found) return from;
      from = pattern.lastIndex;
      this.unused = 0;
      texts.onText(found[1]!, name, found[0].slice(prefix.length, -eventEnd.length));
    }
  }

  private patternOf(head: string, tail: string): RegExp {
    const { varying } = this.texts;
    const [before, after] = [`${this.prefix}${head}`, `${tail}${eventEnd}`].map((around) =>
      varying ? around.split(varying) : [around],
    );
    const key = [varying?.source, ...before!, '', ...after!].join('\0');
    let pattern = patterns.get(key);
    if (!pattern) {
      const between = `(?:${varying?.source})`;
      const [start, end] = [before!, after!].map((parts) => parts.map(literal).join(between));
      if (patterns.size === maxPatterns) patterns.clear();
      patterns.set(key, (pattern = new RegExp(`${start}${jsonText}${end}`, 'y')));
    }
    return pattern;
  }
}

const literal = (text: string): string =>
  text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&').replace(/\n/g, '\\n');
