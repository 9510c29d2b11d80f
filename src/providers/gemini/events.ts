import { randomUUID } from 'node:crypto';
import type { CompletionSink, EventReader } from '../../completion.js';
import type { CompletionAnswer, ModelCall, ProviderAdapter } from '../adapter.js';
import { collectAnswer } from '../answer-chunks.js';
import { cutShort, unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { sseReader } from '../sse-reader.js';
import { eventsOf, GeminiAnswer } from './answer.js';
import { googleFailure } from './failure.js';

const newline = 10;
const maxBareJsonBytes = 32 * 1024 * 1024;
const opensJson = (byte: number | undefined): boolean => byte === 0x7b || byte === 0x5b;

/**
 * Reads a streamed answer. It has no end marker: a finish reason (or a blocked prompt) must have
 * arrived when the stream closes, and usage may follow it. Google sends an error in mid-stream as
 * bare JSON, without `data:`, and a stream that was not requested as server-sent events as a JSON
 * array: both are collected and read at the end.
 */
function geminiEvents(provider: string, sink: CompletionSink, showsCode: boolean): EventReader {
  const answer = new GeminiAnswer(provider, sink, showsCode);
  const bareJson: Buffer[] = [];
  let bareJsonBytes = 0;
  let atLineStart = true;
  const finish = (): void => {
    if (bareJson.length > 0) readBareJson(Buffer.concat(bareJson).toString(), answer);
    if (!answer.complete) throw cutShort(provider);
    answer.end();
  };
  const events = sseReader((_name, payload) => {
    if (payload === '[DONE]') return;
    const read = eventsOf(parseJson(payload));
    if (!read) throw unreadable(provider, 'an event is not JSON');
    for (const event of read) answer.read(event);
  }, finish);
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

/**
 * The index where bare JSON starts, or -1. A line of an event starts with a letter or a colon,
 * never with a brace; line breaks within JSON strings are escaped.
 */
function startOfJson(bytes: Buffer, atLineStart: boolean): number {
  if (atLineStart && opensJson(bytes[0])) return 0;
  const starts = [bytes.indexOf('\n{'), bytes.indexOf('\n[')].filter((at) => at !== -1);
  return starts.length === 0 ? -1 : Math.min(...starts) + 1;
}

/** Also lines of it. JSON that was cut off is ignored; the answer then lacks its finish reason. */
function readBareJson(text: string, answer: GeminiAnswer): void {
  const body = parseJson(text) ?? text.split(/\n(?=\{)/).map(parseJson);
  for (const event of eventsOf(body) ?? []) answer.read(event);
}

/** Reads a whole body. @throws GatewayError as `ProviderAdapter.readCompletion` */
function readGeminiCompletion(
  provider: string,
  body: string,
  showsCode: boolean,
): CompletionAnswer {
  const events = eventsOf(parseJson(body));
  if (!events) throw unreadable(provider, 'the body is not JSON');
  const read = collectAnswer((sink) => {
    const answer = new GeminiAnswer(provider, sink, showsCode);
    for (const event of events) answer.read(event);
    // a whole body needs content, but no finish reason
    if (!answer.complete && !answer.hasContent)
      throw unreadable(provider, 'the body has no answer');
    answer.end();
  });
  const { completion } = read;
  return { ...read, completion: { ...completion, id: completion.id || randomUUID() } };
}

/** Other tools of Google's run code too (`print(file_search.query(…))`), which is no answer. */
const asksForCode = ({ request }: ModelCall): boolean =>
  request.tools?.some((tool) => 'codeExecution' in tool || 'code_execution' in tool) ?? false;

/** The part of an adapter that reads answers, which Gemini and Vertex share. */
export const geminiReaders = (
  provider: string,
): Pick<
  ProviderAdapter,
  'dialect' | 'unopenedImages' | 'readCompletion' | 'readEvents' | 'readFailure'
> => ({
  dialect: null,
  unopenedImages: /^http:/i,
  readCompletion: (body, call) => readGeminiCompletion(provider, body, asksForCode(call)),
  readEvents: (sink, call) => geminiEvents(provider, sink, asksForCode(call)),
  readFailure: googleFailure(provider),
});
