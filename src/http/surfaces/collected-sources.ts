import type { CompletionChunk, UrlCitation } from '../../completion.js';
import { maxCitations } from '../../grounding/citations/find-citations.js';
import { maxSources } from '../../grounding/tools/request-sources.js';
import { publishedAt } from '../../grounding/search/published-at.js';
import type { Citation, Source } from '../../grounding/source.js';

/** Sources and citations that a provider returns unasked, in the shape of all others. */
export class CollectedSources {
  private readonly sources = new Map<string, Omit<Source, 'cited'>>();
  /** By their sources and places. */
  private readonly citations = new Map<string, Citation>();

  clear(): void {
    this.sources.clear();
    this.citations.clear();
  }

  addChunk(chunk: CompletionChunk): void {
    // Perplexity lists its sources in a field of the chunk, not in the message
    this.addResults(chunk['search_results']);
    for (const { index, delta } of chunk.choices) {
      this.addResults(delta['search_results']);
      if (index === 0) for (const annotation of delta.annotations ?? []) this.cite(annotation);
    }
  }

  cite({ url_citation: cited }: UrlCitation): void {
    // a provider may send an annotation of another kind
    const known = cited as UrlCitation['url_citation'] | undefined;
    if (!known?.url) return;
    const source = this.add({ ...known, snippet: known.content });
    const { start_index: start, end_index: end, content: quote = '' } = known;
    // one whose place is unknown spans nothing
    if (!source || start === undefined || end === undefined || start === end) return;
    const key = `${source.id} ${start} ${end}`;
    if (!this.citations.has(key) && this.citations.size < maxCitations)
      this.citations.set(key, { source: source.id, start, end, quote, verified: 'provider' });
  }

  cited(): { readonly sources: readonly Source[]; readonly citations: readonly Citation[] } {
    const citations = [...this.citations.values()];
    const named = new Set(citations.map(({ source }) => source));
    const sources = [...this.sources.values()].map((source) => ({
      ...source,
      cited: named.has(source.id),
    }));
    return { sources, citations };
  }

  private addResults(results: unknown): void {
    if (!Array.isArray(results)) return;
    for (const result of results as (Partial<Found> | null)[]) if (result?.url) this.add(result);
  }

  private add({ url, title, snippet, date }: Partial<Found>): Omit<Source, 'cited'> | null {
    if (typeof url !== 'string') return null;
    const known = this.sources.get(url);
    if (known) return known;
    if (this.sources.size >= maxSources) return null;
    const source = {
      id: this.sources.size + 1,
      title: title ?? '',
      url,
      snippet: snippet ?? '',
      publishedAt: publishedAt(date, Date.now()),
      fetchedAt: null,
      via: 'native',
    };
    this.sources.set(url, source);
    return source;
  }
}

type Found = Readonly<Record<'url' | 'title' | 'snippet' | 'date', string | undefined>>;
