import type { PlacedLink, PlacedMarker } from './answer-text.js';
import {
  type CitedStatement,
  statementBefore,
  withoutMarkdown,
  sentenceAround,
} from './cited-statement.js';
import { findEvidence, literalQuote } from './evidence/find-evidence.js';
import { SourceText } from './evidence/source-text.js';
import type { AnswerSources, Citation, KnownSource } from '../source.js';

/** What an answer's text refers to, by places in it. */
export interface References {
  readonly markers: readonly PlacedMarker[];
  readonly links: readonly PlacedLink[];
  readonly spans: readonly {
    readonly url: string;
    readonly start: number;
    readonly end: number;
    readonly quote?: string;
  }[];
}

const strength = { text: 2, provider: 1, false: 0 };

/** Makes citations of references, and looks their quotes up in the sources. */
export class CitationFinder {
  private readonly texts = new Map<
    number,
    { readonly of: KnownSource; readonly text: SourceText }
  >();
  private readonly quotes = new Map<string, string>();

  constructor(private readonly sources: AnswerSources) {}

  /** The citations of a text, in its order; each source once for a span. */
  find(text: string, { markers, links, spans }: References): Citation[] {
    const found = new Map<string, Citation>();
    const add = (citation: Citation): void => {
      const key = `${citation.source} ${citation.start} ${citation.end}`;
      const known = found.get(key);
      if (!known || rank(citation) > rank(known)) found.set(key, citation);
    };
    for (const citation of this.ofMarkers(text, markers)) add(citation);
    for (const citation of this.ofLinks(text, links)) add(citation);
    for (const span of spans) {
      const source = this.sources.byUrl(span.url);
      if (source && span.end > span.start) add(this.ofSpan(text, span, source));
    }
    return [...found.values()].sort(
      (a, b) => a.start - b.start || a.end - b.end || a.source - b.source,
    );
  }

  private *ofMarkers(text: string, markers: readonly PlacedMarker[]): Generator<Citation> {
    let previous: { end: number; statement: CitedStatement | null } | null = null;
    for (const { piece, ids } of markers) {
      if (piece.start === -1) break;
      const statement: CitedStatement | null = statementBefore(text, piece.start, previous);
      previous = { end: piece.end, statement };
      if (!statement) continue;
      const { start, end } = statement;
      for (const id of ids) {
        const source = this.sources.byId(id);
        const quote = source ? this.quoteOf(statement.text, statement.context, source) : '';
        yield { source: id, start, end, quote, verified: quote === '' ? false : 'text' };
      }
    }
  }

  private *ofLinks(text: string, links: readonly PlacedLink[]): Generator<Citation> {
    for (const { open, close, source: id } of links) {
      const [start, end] = [open.end, close.start];
      const source = this.sources.byId(id);
      if (start === -1 || end <= start || !source) continue;
      const sentence = sentenceAround(text, start, end);
      const quote = this.quoteOf(sentence, sentence, source);
      yield { source: id, start, end, quote, verified: quote === '' ? false : 'text' };
    }
  }

  private ofSpan(
    text: string,
    { start, end, quote: given = '' }: References['spans'][number],
    source: KnownSource,
  ): Citation {
    const statement = withoutMarkdown(text.slice(start, end));
    const found =
      given === ''
        ? this.quoteOf(statement, statement, source)
        : this.cached('quotation', given, source, literalQuote);
    const verified = found === '' ? 'provider' : 'text';
    return { source: source.id, start, end, quote: given === '' ? found : given, verified };
  }

  /** What a source says of a statement, or else of the sentence around it. */
  private quoteOf(statement: string, context: string, source: KnownSource): string {
    const quote = this.cached('statement', statement, source, findEvidence);
    return quote === '' && context !== statement
      ? this.cached('statement', context, source, findEvidence)
      : quote;
  }

  private cached(
    kind: string,
    words: string,
    source: KnownSource,
    find: (words: string, text: SourceText) => string,
  ): string {
    const text = this.sourceText(source);
    const key = `${kind} ${source.id} ${words}`;
    const known = this.quotes.get(key);
    if (known !== undefined) return known;
    const quote = find(words, text);
    this.quotes.set(key, quote);
    return quote;
  }

  /** A source is looked through once, and again when more of it was read. */
  private sourceText(source: KnownSource): SourceText {
    const known = this.texts.get(source.id);
    if (known?.of.text === source.text) return known.text;
    for (const key of this.quotes.keys())
      if (key.split(' ', 2)[1] === String(source.id)) this.quotes.delete(key);
    const text = new SourceText(source.title, source.text);
    this.texts.set(source.id, { of: source, text });
    return text;
  }
}

const rank = ({ verified, quote }: Citation): number =>
  strength[`${verified}`] * 2 + (quote === '' ? 0 : 1);
