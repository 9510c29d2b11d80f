import type { Schema } from '../../api/client.js';
import {
  type Answer,
  type Chunk,
  isOpen,
  withChunk,
  withFailure,
} from '../../components/conversation/answer.js';
import { streamCompletion } from './read-stream.js';

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
