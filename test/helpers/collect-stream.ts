import type { ChatRequest, CompletionChunk, CompletionSink, Usage } from '../../src/completion.js';
import { unescapeJson } from '../../src/completion.js';
import type { ModelCall, ProviderAdapter } from '../../src/providers/adapter.js';

/** A call of a model named `m`. */
export function callOf(request: Partial<ChatRequest> = {}, stream = true): ModelCall {
  return {
    request: { messages: [{ role: 'user', content: 'Hi' }], ...request },
    model: 'm',
    stream,
  };
}

/** The joined content of a stream. */
export interface CollectedStream {
  text: string;
  reasoning: string;
  refusal: string;
  calls: { id: string; name: string; arguments: string }[];
  reasoningDetails: unknown[];
  annotations: unknown[];
  citations: unknown[];
  logprobs: unknown[];
  /** `id` and `model` of the chunks, each once. */
  heads: string[];
  finishReason: string | null;
  usage: Usage | null;
  ends: number;
}

function emptyStream(): CollectedStream {
  return {
    text: '',
    reasoning: '',
    refusal: '',
    calls: [],
    reasoningDetails: [],
    annotations: [],
    citations: [],
    logprobs: [],
    heads: [],
    finishReason: null,
    usage: null,
    ends: 0,
  };
}

function addChunk(into: CollectedStream, chunk: CompletionChunk): void {
  const head = `${chunk.id} ${chunk.model}`;
  if (!into.heads.includes(head)) into.heads.push(head);
  for (const { delta, logprobs } of chunk.choices) {
    into.text += delta.content ?? '';
    into.reasoning += delta.reasoning_content ?? '';
    into.refusal += delta.refusal ?? '';
    into.reasoningDetails.push(...(delta.reasoning_details ?? []));
    into.annotations.push(...(delta.annotations ?? []));
    into.citations.push(...((delta['citations'] as unknown[] | undefined) ?? []));
    into.logprobs.push(...((logprobs as { content?: unknown[] } | null)?.content ?? []));
    for (const piece of delta.tool_calls ?? []) {
      const call = (into.calls[piece.index] ??= { id: '', name: '', arguments: '' });
      call.id += piece.id ?? '';
      call.name += piece.function?.name ?? '';
      call.arguments += piece.function?.arguments ?? '';
    }
  }
}

/**
 * Feeds a stream to an adapter's reader in the pieces given and joins the result.
 * @throws what the reader throws
 */
export function collectPieces(
  adapter: ProviderAdapter,
  pieces: readonly Buffer[],
  call = callOf(),
): CollectedStream {
  const collected = emptyStream();
  const sink: CompletionSink = {
    text: (escaped) => void (collected.text += unescapeJson(escaped)),
    chunk: (chunk) => addChunk(collected, chunk),
    end: (finishReason, usage) =>
      void Object.assign(collected, { finishReason, usage, ends: collected.ends + 1 }),
  };
  const reader = adapter.readEvents(sink, call);
  for (const piece of pieces) reader.push(piece);
  reader.close();
  return collected;
}

/** A stream in one piece, cut in two at every place, and byte by byte. */
export function everyCut(body: string): Buffer[][] {
  const bytes = Buffer.from(body);
  const inTwo = Array.from({ length: bytes.length - 1 }, (_, at) => [
    bytes.subarray(0, at + 1),
    bytes.subarray(at + 1),
  ]);
  return [[bytes], Array.from(bytes, (byte) => Buffer.from([byte])), ...inTwo];
}

/** Server-sent events, named by their `type` as several providers do. */
export function typedEvents(events: readonly object[], last = ''): string {
  return (
    events
      .map(
        (event) =>
          `event: ${(event as { type?: string }).type ?? 'message'}\ndata: ${JSON.stringify(event)}\n\n`,
      )
      .join('') + last
  );
}
