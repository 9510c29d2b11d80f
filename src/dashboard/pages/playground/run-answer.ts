import { api, basePath, changeHeaders } from '../../api/client.js';
import { noteAnswer } from '../../api/connection.js';
import { read } from '../../api/queries.js';
import type { Schema } from '../../api/schema.js';
import {
  type Answer,
  type Chunk,
  emptyAnswer,
  type Figures,
  isOpen,
  withChunk,
  withFailure,
} from '../../components/conversation/answer.js';
import { texts } from '../../texts/texts.js';
import { eventReader, failureIn, type StreamListener } from './event-reader.js';

/** Chunks that come within this time are shown together. In ms. */
const frameMs = 50;

/** What an answer tells while it runs. */
interface Watcher {
  grow(how: (answer: Answer) => Answer): void;
  /** The turn is stored in this conversation. */
  joined(conversationId: string): void;
  /** Whether what a stopped answer cost can be read from the request log. */
  readonly mayReadRequests: boolean;
}

/** How often, and how many times, the request log is asked for a request that has just ended. */
const [readAgainMs, maxReads] = [400, 10];

/** The reason of an abort that also ends the answer at the gateway, as the Stop button does. */
export const stopped = 'stopped';

/** A new answer, or the id of one that was under way when the page was loaded anew. */
type Asked = { readonly body: Schema<'CompletionsRequest'> } | { readonly resumed: string };

/**
 * Streams one answer into the page. Resolves when it is over; a stop leaves what has come, and so
 * does a resumed answer that the gateway does not have.
 */
export async function runAnswer(
  asked: Asked,
  { grow, joined, mayReadRequests }: Watcher,
  signal: AbortSignal,
): Promise<void> {
  let requestId: string | null = null;
  let runningId = 'resumed' in asked ? asked.resumed : null;
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
    asked,
    {
      begun(id) {
        if (!('resumed' in asked)) requestId = id;
        grow((answer) => {
          if (!('resumed' in asked)) return { ...answer, requestId: id };
          // it comes again from its beginning
          return { ...emptyAnswer, responseId: answer.responseId, requestId: answer.requestId };
        });
      },
      chunk(chunk, isNumbered) {
        if (isNumbered) runningId = chunk.responseMessageId;
        waiting.push(chunk);
        timer ??= setTimeout(show, frameMs);
        const { conversationId, conversationStored } = chunk;
        const stores = 'resumed' in asked || asked.body.store !== false;
        if (conversationId && conversationStored !== false && stores) joined(conversationId);
      },
      failed(failed) {
        show();
        grow((answer) => withFailure(answer, failed));
      },
    },
    signal,
  );
  if (signal.reason === stopped && runningId !== null) cancel(runningId);
  show();
  grow((answer) => (isOpen(answer) ? { ...answer, state: 'stopped' } : answer));
  const figures = signal.aborted && mayReadRequests ? await figuresOf(requestId) : null;
  if (figures) grow((answer) => ({ ...answer, figures }));
}

/** Ends a call that would go on for a reader who comes back. */
const cancel = (id: string): void =>
  void api
    .DELETE('/api/v1/completions/{id}/stream', { params: { path: { id } } })
    .catch(() => undefined);

/** What a request came to that was stopped, and so has not told it; null: it is not known. */
async function figuresOf(requestId: string | null): Promise<Figures | null> {
  for (let reads = 0; requestId !== null && reads < maxReads; reads++) {
    await new Promise((resolve) => setTimeout(resolve, readAgainMs));
    const asked = read('/api/v1/requests/{id}', { path: { id: requestId } });
    // it is stored with others a moment later
    const row = await asked.catch(() => null);
    if (!row) continue;
    const { promptTokens, completionTokens, costUsd, latencyMs, ttftMs, estimatedUsd } = row;
    return {
      ...{ promptTokens, completionTokens, costUsd, grounding: null },
      ...{ latency: latencyMs, ttft: ttftMs, isEstimated: estimatedUsd > 0 },
    };
  }
  return null;
}

const send = (asked: Asked, signal: AbortSignal): Promise<Response> =>
  'resumed' in asked
    ? fetch(`${basePath}/api/v1/completions/${encodeURIComponent(asked.resumed)}/stream`, {
        signal,
      })
    : fetch(`${basePath}/api/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...changeHeaders() },
        body: JSON.stringify(asked.body),
        signal,
      });

/**
 * Asks for an answer and reads its stream until its end. Resolves when it is over, however it
 * ended; a stop by the signal is no failure.
 */
async function streamCompletion(
  asked: Asked,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  try {
    const response = await send(asked, signal);
    noteAnswer(response);
    if (response.status === 404 && 'resumed' in asked) return;
    listener.begun(response.headers.get('x-request-id'));
    if (!response.ok) {
      const said = await response.text();
      const failed = failureIn(said) ?? { message: said || `HTTP ${response.status}`, trace: [] };
      // the page asks for the password
      listener.failed(
        response.status === 401 ? { ...failed, message: texts.playground.signedOut } : failed,
      );
    } else if (response.body) {
      const events = eventReader(listener);
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read())
        events.feed(decoder.decode(part.value, { stream: true }));
      events.end();
    }
  } catch (error) {
    if (signal.aborted) return;
    noteAnswer(null);
    const message = error instanceof TypeError ? texts.common.unanswered : String(error);
    listener.failed({ message, trace: [] });
  }
}
