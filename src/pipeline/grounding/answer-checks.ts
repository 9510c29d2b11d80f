import type { UrlCitation } from '../../completion.js';
import { asList } from '../../text/is-object.js';
import { jsonFields } from '../../text/json-values.js';
import { inTurns, piecesOf } from '../../async/turns.js';
import { CitedText } from '../../grounding/citations/cited-text.js';
import { statementBefore } from '../../grounding/citations/cited-statement.js';
import {
  findCitations,
  maxCitations,
  type ProviderSpan,
} from '../../grounding/citations/find-citations.js';
import type { Citation } from '../../grounding/source.js';
import type {
  NativeResult,
  ReadSource,
  RequestSources,
} from '../../grounding/tools/request-sources.js';
import type { GroundedInput } from './grounded-run.js';
import type { AnswerGrounding } from './grounding-call.js';
import type { GroundingEvents } from './grounding-events.js';
import { pieceLength, type TextFilter } from './joined-answer.js';

/** Checks the links and citations of an answer, attempt by attempt and round by round. */
export class AnswerChecks {
  private current: AttemptText | null = null;
  private readonly citations: Citation[] = [];
  private dropped = 0;
  private isCut = false;

  constructor(private readonly sources: RequestSources) {}

  /** An attempt begins; drops the text of an earlier one that was not kept. */
  begin(isNative: boolean, events: GroundingEvents): TextFilter {
    const { sources } = this;
    const text = isNative ? new NativeText(sources) : new CitedText(sources);
    return (this.current = new AttemptText(text, sources, events));
  }

  /**
   * Keeps the attempt's text and citations: they are part of the answer.
   * @param startedAt where the text begins in the answer
   * @param searches how often the model searched by itself; absent: its provider does not tell
   */
  async keep(startedAt: number, searches?: number): Promise<void> {
    const { current } = this;
    if (!current) return;
    this.current = null;
    current.reportSearch(searches);
    const { text } = current;
    this.dropped += text.droppedLinks + text.droppedMarkers;
    const found = await inTurns<readonly Citation[]>(text.citations());
    this.isCut ||= found.length === maxCitations;
    for (const citation of found)
      this.citations.push({
        ...citation,
        start: citation.start + startedAt,
        end: citation.end + startedAt,
      });
  }

  /** Sources and citations of the whole answer. Call once: reports citations to the metrics. */
  grounding(events: GroundingEvents, { parts, request }: GroundedInput): AnswerGrounding {
    const { citations, dropped, sources } = this;
    if (this.isCut) {
      const message = `only the first ${maxCitations} citations of the answer were looked up`;
      request.warnings.push({ field: 'message[citations]', message });
    }
    parts.metrics.grounding.citations(citations.length, dropped);
    const cited = new Set(citations.map(({ source }) => source));
    return { report: events.report(), sources: sources.shown(cited), citations };
  }
}

const texts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/**
 * The text of one attempt, whose citations can be asked for once it is whole, and the pages of the
 * model's own search, from any part of its answer.
 */
class AttemptText implements TextFilter {
  private annotations = 0;
  private hasSearched = false;
  private readonly queries: string[] = [];
  /** Pages that were cited. */
  private readonly cited: Span[] = [];
  private readonly pages: ReadSource[] = [];

  /** @param text of a model that was given numbered sources: what was never found is taken out */
  constructor(
    readonly text: CitedText | NativeText,
    private readonly sources: RequestSources,
    private readonly events: GroundingEvents,
  ) {}

  push(text: string): string {
    return this.text.push(text);
  }

  end(): string {
    return this.text.end();
  }

  annotate(annotation: UrlCitation): void {
    const span = spanOf(annotation);
    // further ones would not be shown
    if (!span || ++this.annotations > maxCitations) return;
    this.hasSearched = true;
    this.cited.push(span);
    // the text may link to the page next
    if (this.text instanceof CitedText) this.addCited();
    this.text.cite(span);
  }

  found(part: Readonly<Record<string, unknown>>): void {
    const { search_results: results, search_queries: queries } = part;
    if (!Array.isArray(results) && !Array.isArray(queries)) return;
    this.hasSearched = true;
    this.queries.push(...asList(queries).map(String));
    for (const result of asList(results).slice(0, maxCitations)) this.addPage(result);
  }

  /**
   * Reports the model's own search. Pages that were only cited get their numbers last, because some
   * providers send citations before the search results, and some after them.
   */
  reportSearch(searches: number | undefined): void {
    this.addCited();
    if (this.hasSearched || searches)
      this.events.searchedNatively(this.queries, searches, this.pages);
  }

  private addCited(): void {
    for (const { url, title, quote } of this.cited.splice(0)) this.addPage({ url, title, quote });
  }

  private addPage(result: unknown): void {
    const { url, title, snippet, date, quote } = jsonFields(result);
    if (typeof url !== 'string' || url === '') return;
    const before = this.sources.count();
    const found: NativeResult = { url, ...texts({ title, snippet, date, quote }) };
    const source = this.sources.addNative(found);
    if (!source || source.id <= before) return;
    this.pages.push(source);
    this.events.found(source);
  }
}

/**
 * Text of a model that searched by itself. Its links stay unchecked: the provider may send the
 * sources as late as with the last chunk.
 */
class NativeText {
  readonly droppedLinks = 0;
  readonly droppedMarkers = 0;
  private text = '';
  private readonly spans: Span[] = [];

  constructor(private readonly sources: RequestSources) {}

  push(text: string): string {
    this.text += text;
    return text;
  }

  end(): string {
    return '';
  }

  cite(span: Span): void {
    this.spans.push(span);
  }

  *citations(): Generator<unknown, readonly Citation[]> {
    const { sources, text } = this;
    // numbers in brackets are the provider's, not ours
    const known = {
      byId: () => undefined,
      byUrl: (url: string) => sources.byUrl(url),
      isKnown: () => true,
    };
    const spans = yield* ofStatements(text, this.spans);
    const marked = new CitedText(known);
    for (const span of spans) marked.cite(span);
    const parts: string[] = [];
    for (const piece of piecesOf(text, pieceLength)) {
      parts.push(marked.push(piece));
      yield;
    }
    parts.push(marked.end());
    // offsets are valid only if the text stays as it is
    return parts.join('') === text
      ? yield* marked.citations()
      : yield* findCitations(text, { markers: [], links: [], spans }, known);
  }
}

const providersMarker = /^\[\d{1,4}\]$/;

/** Some providers give the offset of a page's number: the statement before it is cited instead. */
function* ofStatements(text: string, spans: readonly Span[]): Generator<unknown, Span[]> {
  let previous: Parameters<typeof statementBefore>[2] = null;
  const found: Span[] = [];
  for (const span of spans) {
    yield;
    if (!providersMarker.test(text.slice(span.start, span.end))) {
      found.push(span);
      continue;
    }
    const statement = statementBefore(text, span.start, previous);
    previous = { end: span.end, statement };
    const { start, end } = statement ?? span;
    // without a quote, so that the page's own words are looked up
    found.push({ ...span, start, end, quote: undefined });
  }
  return found;
}

interface Span extends ProviderSpan {
  readonly title: string | undefined;
}

function spanOf(annotation: UrlCitation): Span | null {
  // a provider may send an annotation of another kind
  const cited = annotation.url_citation as UrlCitation['url_citation'] | undefined;
  const { url, title, content, start_index: start = 0, end_index: end = 0 } = cited ?? {};
  return typeof url === 'string' ? { url, title, start, end, quote: content } : null;
}

/** Citations as OpenAI's dialect has them. */
export const citedAnnotations = (
  citations: readonly Citation[],
  sources: RequestSources,
): UrlCitation[] =>
  citations.flatMap(({ source, start, end, quote }) => {
    const cited = sources.byId(source);
    if (!cited) return [];
    const { url, title } = cited;
    const content = quote === '' ? {} : { content: quote };
    const span = { start_index: start, end_index: end };
    return [{ type: 'url_citation' as const, url_citation: { url, title, ...content, ...span } }];
  });
