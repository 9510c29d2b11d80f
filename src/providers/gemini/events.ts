import {
  type ChunkChoice,
  type CompletionSink,
  escapeJson,
  type EventReader,
} from '../../completion.js';
import { cutShort, parseJson, unreadable } from '../failure.js';
import { eventsOf, GeminiAnswer } from './answer.js';
import type { GeminiResponse } from './wire.js';
import { sseReader } from '../sse-reader.js';

const newline = 10;
const maxStrayLength = 32 * 1024 * 1024;
const opensJson = (byte: number | undefined): boolean => byte === 0x7b || byte === 0x5b;

/**
 * Reads a streamed answer. There is no end marker of its own: a finish reason (or a blocked prompt) must have been seen when the
 * stream closes; usage may still follow it. Google writes an error that strikes in mid-stream as bare JSON, without `data:`, and
 * a stream that was not asked for as server-sent events is a JSON array: both are kept and read at the end.
 */
export function geminiEvents(provider: string, sink: CompletionSink): EventReader {
  const answer = answerInto(provider, sink);
  const stray: Buffer[] = [];
  let strayLength = 0;
  let atLineStart = true;
  const finish = (): void => {
    if (stray.length > 0) readStray(Buffer.concat(stray).toString(), answer);
    if (!answer.whole) throw cutShort(provider);
    const { finishReason, usage } = answer.finish();
    sink.end(finishReason, usage);
  };
  const events = sseReader((_name, payload) => answer.read(parseEvent(provider, payload)), finish);
  return {
    push(bytes) {
      const from = stray.length > 0 ? 0 : startOfJson(bytes, atLineStart);
      if (from !== 0) events.push(from === -1 ? bytes : bytes.subarray(0, from));
      if (from !== -1) {
        stray.push(bytes.subarray(from));
        strayLength += bytes.length - from;
        if (strayLength > maxStrayLength) throw unreadable(provider, 'a body of more than 32 MiB');
      }
      if (bytes.length > 0) atLineStart = bytes[bytes.length - 1] === newline;
    },
    close: () => events.close(),
  };
}

function answerInto(provider: string, sink: CompletionSink): GeminiAnswer {
  const chunk = (choice: ChunkChoice): void =>
    sink.chunk(
      {
        ...(answer.id ? { id: answer.id } : {}),
        object: 'chat.completion.chunk',
        created: answer.created,
        model: answer.model,
        choices: [choice],
      },
      null,
    );
  const answer: GeminiAnswer = new GeminiAnswer(provider, {
    text: (index, text) => {
      if (index === 0) sink.text(escapeJson(text), null);
      else chunk({ index, delta: { content: text } });
    },
    choice: chunk,
  });
  return answer;
}

/** A line of an event begins with a letter or a colon, never with a brace; a line within JSON text is always escaped. */
function startOfJson(bytes: Buffer, atLineStart: boolean): number {
  if (atLineStart && opensJson(bytes[0])) return 0;
  const starts = [bytes.indexOf('\n{'), bytes.indexOf('\n[')].filter((at) => at !== -1);
  return starts.length === 0 ? -1 : Math.min(...starts) + 1;
}

function parseEvent(provider: string, payload: string): GeminiResponse {
  const event = parseJson(payload);
  if (typeof event !== 'object' || event === null)
    throw unreadable(provider, 'an event that is not JSON');
  return event;
}

/** JSON that was cut leaves the answer as it is, and the end marker missing. */
function readStray(text: string, answer: GeminiAnswer): void {
  for (const event of eventsOf(parseJson(text)) ?? []) answer.read(event);
}
