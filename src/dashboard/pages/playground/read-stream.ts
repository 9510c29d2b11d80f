import { basePath, changeHeaders, type Schema } from '../../api/client.js';
import { eventReader, failureIn, type StreamListener } from './event-reader.js';

/**
 * Sends a completion and reads its stream until its end. Resolves when it is over, however it
 * ended; a stop by the signal is no failure.
 */
export async function streamCompletion(
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
