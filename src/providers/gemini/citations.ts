import type { UrlCitation } from '../../completion.js';
import { type GroundingMetadata, objectsIn } from './wire.js';

type Segment = NonNullable<NonNullable<GroundingMetadata['groundingSupports']>[number]['segment']>;

/**
 * The sources of a grounded answer: one citation for each passage and source, with character
 * offsets where the passage occurs in `text`; then the sources that no passage refers to.
 */
export function citationsOf(grounding: GroundingMetadata, text: string): UrlCitation[] {
  const sources = objectsIn(grounding.groundingChunks).map((chunk) => {
    const source = chunk.web ?? chunk.retrievedContext ?? chunk.maps ?? {};
    return {
      // file search has a store in place of an address
      url: source.uri ?? source.fileSearchStore ?? '',
      ...(source.title === undefined ? {} : { title: source.title }),
      ...(source.text === undefined ? {} : { content: source.text }),
    };
  });
  const bytes = Buffer.from(text);
  const cited = new Set<number>();
  const citations: UrlCitation[] = [];
  for (const { segment, groundingChunkIndices } of objectsIn(grounding.groundingSupports)) {
    const place = segment ? placeOf(segment, text, bytes) : {};
    for (const index of groundingChunkIndices ?? []) {
      const source = sources[index];
      if (!source?.url) continue;
      cited.add(index);
      citations.push({ type: 'url_citation', url_citation: { ...source, ...place } });
    }
  }
  for (const [index, source] of sources.entries()) {
    if (source.url && !cited.has(index))
      citations.push({ type: 'url_citation', url_citation: source });
  }
  return citations;
}

/** Google counts bytes of UTF-8; OpenAI's dialect counts characters. */
function placeOf(
  segment: Segment,
  text: string,
  bytes: Buffer,
): { start_index?: number; end_index?: number } {
  const passage =
    segment.text ?? bytes.subarray(segment.startIndex ?? 0, segment.endIndex ?? 0).toString();
  if (passage === '') return {};
  const counted = bytes.subarray(0, segment.startIndex ?? 0).toString().length;
  const start = text.startsWith(passage, counted) ? counted : text.indexOf(passage);
  return start === -1 ? {} : { start_index: start, end_index: start + passage.length };
}
