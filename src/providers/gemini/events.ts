import {
  type ChunkChoice,
  type CompletionSink,
  escapeJson,
  type EventReader,
} from '../../completion.js';
import { cutShort, unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { sseReader } from '../sse-reader.js';
import { eventsOf, GeminiAnswer } from './answer.js';
import type { GeminiResponse } from './wire.js';

const newline = 10;
const maxBareJsonBytes = 32 * 1024 * 1024;
const opensJson = (byte: number | undefined): boolean => byte === 0x7b || byte === 0x5b;

/**
 * Reads a streamed answer. It has no end marker: a finish reason (or a blocked prompt) must have
 * arrived when the stream closes, and usage may follow it. Google sends an error in mid-stream as
 * bare JSON, without `data:`, and a stream that was not requested as server-sent events as a JSON
 * array: both are collected and read at the end.
 */
export function geminiEvents(provider: string, sink: CompletionSink): EventReader {
  const answer = answerInto(provider, sink);
  const bareJson: Buffer[] = [];
  let bareJsonBytes = 0;
  let atLineStart = true;
  const finish = (): void => {
    if (bareJson.length > 0) readBareJson(Buffer.concat(bareJson).toString(), answer);
    if (!answer.complete) throw cutShort(provider);
    const { finishReason, usage } = answer.finish();
    sink.end(finishReason, usage);
  };
  const events = sseReader((_name, payload) => answer.read(parseEvent(provider, payload)), finish);
  return {
    push(bytes) {
      const from = bareJson.length > 0 ? 0 : startOfJson(bytes, atLineStart);
      if (from !== 0) events.push(from === -1 ? bytes : bytes.subarray(0, from));
      if (from !== -1) {
        bareJson.push(bytes.subarray(from));
        bareJsonBytes += bytes.length - from;
        if (bareJsonBytes > maxBareJsonBytes)
          throw unreadable(provider, 'the body is larger than 32 MiB');
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

/**
 * The index where bare JSON starts, or -1. A line of an event starts with a letter or a colon,
 * never with a brace; line breaks within JSON strings are escaped.
 */
function startOfJson(bytes: Buffer, atLineStart: boolean): number {
  if (atLineStart && opensJson(bytes[0])) return 0;
  const starts = [bytes.indexOf('\n{'), bytes.indexOf('\n[')].filter((at) => at !== -1);
  return starts.length === 0 ? -1 : Math.min(...starts) + 1;
}

function parseEvent(provider: string, payload: string): GeminiResponse {
  const event = parseJson(payload);
  if (typeof event !== 'object' || event === null)
    throw unreadable(provider, 'an event is not JSON');
  return event;
}

/** JSON that was cut off is ignored; the answer then lacks its finish reason. */
function readBareJson(text: string, answer: GeminiAnswer): void {
  for (const event of eventsOf(parseJson(text)) ?? []) answer.read(event);
}
