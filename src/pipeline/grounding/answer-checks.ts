import type { UrlCitation } from '../../completion.js';
import { CitedText } from '../../grounding/citations/cited-text.js';
import type { Citation } from '../../grounding/source.js';
import type { NativeResult, RequestSources } from '../../grounding/tools/request-sources.js';
import type { GroundingEvents } from './grounding-events.js';
import type { TextFilter } from './round-writer.js';

/** A filter whose citations can be asked for once its text is whole. */
interface CheckedText extends TextFilter {
  citations(): readonly Citation[];
  readonly dropped: number;
}

/** Checks the links and citations of an answer, attempt by attempt and round by round. */
export class AnswerChecks {
  private current: CheckedText | null = null;
  private readonly citations: Citation[] = [];
  private dropped = 0;

  constructor(private readonly sources: RequestSources) {}

  /** An attempt begins; what an earlier one left unkept is forgotten. */
  begin(isNative: boolean, events: GroundingEvents): TextFilter {
    return (this.current = isNative
      ? new NativeText(this.sources, events)
      : new SourcedText(this.sources, events));
  }

  /** The attempt's text is part of the answer. @param startedAt where it begins in it */
  keep(startedAt: number): void {
    const { current } = this;
    if (!current) return;
    this.current = null;
    this.dropped += current.dropped;
    for (const citation of current.citations())
      this.citations.push({
        ...citation,
        start: citation.start + startedAt,
        end: citation.end + startedAt,
      });
  }

  result(): { citations: readonly Citation[]; dropped: number } {
    return { citations: this.citations, dropped: this.dropped };
  }
}

/** What the model's own search told of its pages, in any part of its answer. */
class NativeFinds {
  private searched = false;

  constructor(
    private readonly sources: RequestSources,
    private readonly events: GroundingEvents,
  ) {}

  take(part: Readonly<Record<string, unknown>>): void {
    const { search_results: results, search_queries: queries } = part;
    if (!Array.isArray(results) && !Array.isArray(queries)) return;
    const asked = Array.isArray(queries) ? (queries as unknown[]).map(String) : [];
    const isFirst = !this.searched;
    this.searched = true;
    this.events.searchedNatively(asked, Math.max(asked.length, isFirst ? 1 : 0));
    for (const result of Array.isArray(results) ? (results as unknown[]) : []) this.add(result);
  }

  add(result: unknown): void {
    const { url, title, snippet, date } = (result ?? {}) as Partial<Record<string, unknown>>;
    if (typeof url !== 'string' || url === '') return;
    const before = this.sources.count();
    const found: NativeResult = { url, ...texts({ title, snippet, date }) };
    const source = this.sources.addNative(found);
    if (source && source.id > before) this.events.found(source);
  }
}

const texts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** Text of a model that was given numbered sources: what was never found is taken out. */
class SourcedText implements CheckedText {
  private readonly text: CitedText;
  private readonly finds: NativeFinds;

  constructor(sources: RequestSources, events: GroundingEvents) {
    this.text = new CitedText(sources);
    this.finds = new NativeFinds(sources, events);
  }

  push(text: string): string {
    return this.text.push(text);
  }

  end(): string {
    return this.text.end();
  }

  annotate(annotation: UrlCitation): void {
    const span = spanOf(annotation);
    if (!span) return;
    this.finds.add({ url: span.url, title: span.title, snippet: span.quote });
    this.text.cite(span);
  }

  found(part: Readonly<Record<string, unknown>>): void {
    this.finds.take(part);
  }

  citations(): readonly Citation[] {
    return this.text.citations();
  }

  get dropped(): number {
    return this.text.droppedLinks + this.text.droppedMarkers;
  }
}

/**
 * Text of a model that searched by itself: its provider tells the sources as late as with the last
 * chunk, so that its links cannot be checked while they stream. They stay.
 */
class NativeText implements CheckedText {
  readonly dropped = 0;
  private text = '';
  private readonly spans: Span[] = [];
  private readonly finds: NativeFinds;

  constructor(
    private readonly sources: RequestSources,
    events: GroundingEvents,
  ) {
    this.finds = new NativeFinds(sources, events);
  }

  push(text: string): string {
    this.text += text;
    return text;
  }

  end(): string {
    return '';
  }

  annotate(annotation: UrlCitation): void {
    const span = spanOf(annotation);
    if (!span) return;
    this.finds.add({ url: span.url, title: span.title, snippet: span.quote });
    this.spans.push(span);
  }

  found(part: Readonly<Record<string, unknown>>): void {
    this.finds.take(part);
  }

  citations(): readonly Citation[] {
    const { sources, text } = this;
    const known = { ...lookups(sources), isKnown: () => true };
    const marked = new CitedText(known);
    // spans count only where the text stayed as it is
    for (const span of this.spans) marked.cite(span);
    const out = marked.push(text) + marked.end();
    return out === text ? marked.citations() : this.providerCitations();
  }

  private providerCitations(): Citation[] {
    return this.spans.flatMap(({ url, start, end, quote = '' }) => {
      const source = this.sources.byUrl(url);
      return source
        ? [{ source: source.id, start, end, quote, verified: 'provider' as const }]
        : [];
    });
  }
}

const lookups = (sources: RequestSources) => ({
  byId: (id: number) => sources.byId(id),
  byUrl: (url: string) => sources.byUrl(url),
  count: () => sources.count(),
});

interface Span {
  readonly url: string;
  readonly title: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly quote: string | undefined;
}

function spanOf(annotation: UrlCitation): Span | null {
  // a provider may send an annotation of another kind
  const cited = annotation.url_citation as UrlCitation['url_citation'] | undefined;
  const { url, title, content, start_index: start = 0, end_index: end = 0 } = cited ?? {};
  return typeof url === 'string' ? { url, title, start, end, quote: content } : null;
}
