/** What `fetch` answers, of Node or of undici. */
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
  /** There was more. */
  readonly isCut: boolean;
}

/**
 * Asks once and reads the body up to `maxBytes`. The request is over after `timeoutMs`, and when
 * `signal` ends it, however slowly the body comes.
 * @param ask must end with its signal until the head is there
 * @throws DOMException `TimeoutError`, the reason of `signal`, or what `ask` throws
 */
export async function readAnswer<A extends Answer>(
  ask: (signal: AbortSignal) => Promise<A>,
  limits: { readonly timeoutMs: number; readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<ReadText & { readonly answer: A }> {
  const { timeoutMs, maxBytes, signal: outer } = limits;
  // Node may collect signals of `timeout` and `any` that nothing else holds: a timer does
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

/** Whether an answer was too slow for its `timeoutMs`. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';

/** Reads a body up to `maxBytes`, then cancels it. Bytes that are no UTF-8 are replaced. */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<ReadText> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
  return { text, isCut: bytes > maxBytes };
}
