import type { UrlCitation } from '../../completion.js';
import type { Citation } from '../../grounding/source.js';
import type { RequestSources } from '../../grounding/tools/request-sources.js';

/** Citations as OpenAI's dialect has them. */
export function citedAnnotations(
  citations: readonly Citation[],
  sources: RequestSources,
): UrlCitation[] {
  return citations.flatMap(({ source, start, end, quote }) => {
    const cited = sources.byId(source);
    if (!cited) return [];
    const { url, title } = cited;
    const content = quote === '' ? {} : { content: quote };
    const span = { start_index: start, end_index: end };
    return [{ type: 'url_citation' as const, url_citation: { url, title, ...content, ...span } }];
  });
}
