import { type ChunkDelta, type CompletionChunk, reasoningOf } from '../completion.js';
import { asList } from '../text/is-object.js';
import { searchBlockOf } from './web-search/search-findings.js';

/**
 * Whether the chunk has content: text, reasoning, a refusal, a tool call, audio or images. What the
 * model's own search found is none, so it does not commit an attempt.
 */
export function hasContent(chunk: CompletionChunk): boolean {
  for (const choice of chunk.choices) {
    const delta = choice.delta as ChunkDelta | undefined;
    if (!delta) continue;
    if (delta.content || delta.refusal || reasoningOf(delta)) return true;
    if (
      delta.tool_calls?.length ||
      asList(delta.reasoning_details).some((detail) => searchBlockOf(detail) === null) ||
      delta['function_call'] ||
      delta['audio'] ||
      delta['images']
    )
      return true;
  }
  return false;
}
