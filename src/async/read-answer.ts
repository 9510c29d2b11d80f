import { BodyPieces } from './body-pieces.js';

/** The response of `fetch`, Node's or undici's. */
interface Answer {
  readonly body: {
    pipeThrough(
      through: TransformStream<Uint8Array, Uint8Array>,
      options: { readonly signal: AbortSignal },
    ): AsyncIterable<Uint8Array>;
  } | null;
}

/** A body as text. */
interface ReadText {
  readonly text: string;
  /** The body was longer than this text. */
  readonly isCut: boolean;
}

/**
 * Asks once and reads the body up to `maxBytes`. The whole request, with its body, ends after
 * `timeoutMs`, or when `signal` aborts.
 * @param ask must reject when its signal aborts, until the headers have arrived
 * @throws DOMException `TimeoutError`, the reason of `signal`, or what `ask` throws
 */
export async function readAnswer<A extends Answer>(
  ask: (signal: AbortSignal) => Promise<A>,
  limits: { readonly timeoutMs: number; readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<ReadText & { readonly answer: A }> {
  const { timeoutMs, maxBytes, signal: outer } = limits;
  // Node may garbage-collect signals of `AbortSignal.timeout` and `any`; a timer holds this one
  const ending = new AbortController();
  const end = () =>
    ending.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
  const timer = setTimeout(end, timeoutMs);
  const leave = (): void => ending.abort(outer?.reason);
  if (outer?.aborted) leave();
  else outer?.addEventListener('abort', leave);
  const { signal } = ending;
  try {
    const answer = await ask(signal);
    // once the head is there, `fetch` may forget the signal
    const body = answer.body?.pipeThrough(new TransformStream(), { signal }) ?? null;
    return { answer, ...(await readBounded(body, maxBytes)) };
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', leave);
  }
}

/** Whether `readAnswer` failed because of its `timeoutMs`. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';

/** Reads a body up to `maxBytes`, then cancels it. Bytes that are no UTF-8 are replaced. */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<ReadText> {
  const pieces = new BodyPieces();
  let bytes = 0;
  for await (const chunk of body ?? []) {
    pieces.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  const text = pieces.joined().subarray(0, maxBytes).toString('utf8');
  return { text, isCut: bytes > maxBytes };
}
