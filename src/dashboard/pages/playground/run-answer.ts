import { basePath, changeHeaders } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import {
  type Answer,
  type Chunk,
  isOpen,
  withChunk,
  withFailure,
} from '../../components/conversation/answer.js';
import { eventReader, failureIn, type StreamListener } from './event-reader.js';

/** Chunks that come within this time are shown together. In ms. */
const frameMs = 50;

/** What an answer tells while it runs. */
interface Watcher {
  /** Changes the answer. */
  grow(how: (answer: Answer) => Answer): void;
  /** The turn is stored in this conversation. */
  joined(conversationId: string): void;
}

/** Streams one answer into the page. Resolves when it is over; a stop leaves what has come. */
export async function runAnswer(
  body: Schema<'CompletionsRequest'>,
  { grow, joined }: Watcher,
  signal: AbortSignal,
): Promise<void> {
  let waiting: Chunk[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  const show = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const chunks = waiting;
    waiting = [];
    if (chunks.length > 0) grow((answer) => chunks.reduce(withChunk, answer));
  };
  await streamCompletion(
    body,
    {
      begun: (requestId) => grow((answer) => ({ ...answer, requestId })),
      chunk(chunk) {
        waiting.push(chunk);
        timer ??= setTimeout(show, frameMs);
        const { conversationId, conversationStored } = chunk;
        if (conversationId && conversationStored !== false && body.store !== false)
          joined(conversationId);
      },
      failed(failed) {
        show();
        grow((answer) => withFailure(answer, failed));
      },
    },
    signal,
  );
  show();
  grow((answer) => (isOpen(answer) ? { ...answer, state: 'stopped' } : answer));
}

/**
 * Sends a completion and reads its stream until its end. Resolves when it is over, however it
 * ended; a stop by the signal is no failure.
 */
async function streamCompletion(
  body: Schema<'CompletionsRequest'>,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(`${basePath}/api/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...changeHeaders() },
      body: JSON.stringify(body),
      signal,
    });
    listener.begun(response.headers.get('x-request-id'));
    if (!response.ok) {
      const said = await response.text();
      listener.failed(failureIn(said) ?? { message: said || `HTTP ${response.status}`, trace: [] });
    } else if (response.body) await readEvents(response.body, listener);
  } catch (error) {
    if (!signal.aborted)
      listener.failed({
        message: error instanceof Error ? error.message : String(error),
        trace: [],
      });
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  listener: StreamListener,
): Promise<void> {
  const events = eventReader(listener);
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    events.feed(decoder.decode(value, { stream: true }));
  }
  events.end();
}
