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
  readonly spans: readonly ProviderSpan[];
}

/** A part of a model's text for which its provider names a page. */
export interface ProviderSpan {
  readonly url: string;
  /** UTF-16 offsets in the text that was pushed. */
  readonly start: number;
  readonly end: number;
  /** What the page says, as the provider returned it. */
  readonly quote?: string | undefined;
}

/** An answer has no more: what follows stays text. */
export const maxCitations = 1_000;

const strength = { text: 2, provider: 1, false: 0 };

/** Makes citations of references, and looks their quotes up in the sources. */
export class CitationFinder {
  private readonly texts = new Map<
    number,
    { readonly of: KnownSource; readonly text: SourceText }
  >();
  private readonly quotes = new Map<string, string>();

  constructor(private readonly sources: AnswerSources) {}

  /** The citations of a text, in its order; each source once for a span. Yields between two. */
  *find(text: string, { markers, links, spans }: References): Generator<unknown, Citation[]> {
    const found = new Map<string, Citation>();
    const add = (citation: Citation): void => {
      const key = `${citation.source} ${citation.start} ${citation.end}`;
      const known = found.get(key);
      if (!known || rank(citation) > rank(known)) found.set(key, citation);
    };
    yield* this.ofMarkers(text, markers, add);
    yield* this.ofLinks(text, links, add);
    for (const span of spans.slice(0, maxCitations)) {
      const source = this.sources.byUrl(span.url);
      if (source && span.end > span.start) add(yield* this.ofSpan(text, span, source));
    }
    return [...found.values()]
      .sort((a, b) => a.start - b.start || a.end - b.end || a.source - b.source)
      .slice(0, maxCitations);
  }

  private *ofMarkers(
    text: string,
    markers: readonly PlacedMarker[],
    add: (citation: Citation) => void,
  ): Generator<unknown, void> {
    let previous: { end: number; statement: CitedStatement | null } | null = null;
    for (const { piece, ids } of markers.slice(0, maxCitations)) {
      if (piece.start === -1) break;
      const statement: CitedStatement | null = statementBefore(text, piece.start, previous);
      previous = { end: piece.end, statement };
      if (!statement) continue;
      const { start, end } = statement;
      for (const id of ids) {
        const source = this.sources.byId(id);
        const quote = source ? yield* this.quoteOf(statement.text, statement.context, source) : '';
        add({ source: id, start, end, quote, verified: quote === '' ? false : 'text' });
        yield;
      }
    }
  }

  private *ofLinks(
    text: string,
    links: readonly PlacedLink[],
    add: (citation: Citation) => void,
  ): Generator<unknown, void> {
    for (const { open, close, source: id } of links.slice(0, maxCitations)) {
      const [start, end] = [open.end, close.start];
      const source = this.sources.byId(id);
      if (start === -1 || end <= start || !source) continue;
      const sentence = sentenceAround(text, start, end);
      const quote = yield* this.quoteOf(sentence, sentence, source);
      add({ source: id, start, end, quote, verified: quote === '' ? false : 'text' });
      yield;
    }
  }

  private *ofSpan(
    text: string,
    { start, end, quote: given = '' }: ProviderSpan,
    source: KnownSource,
  ): Generator<unknown, Citation> {
    const statement = withoutMarkdown(text.slice(start, end));
    const found =
      given === ''
        ? yield* this.quoteOf(statement, statement, source)
        : yield* this.cached('quotation', given, source, literalQuote);
    const verified = found === '' ? 'provider' : 'text';
    return { source: source.id, start, end, quote: given === '' ? found : given, verified };
  }

  /** What a source says of a statement, or else of the sentence around it. */
  private *quoteOf(
    statement: string,
    context: string,
    source: KnownSource,
  ): Generator<unknown, string> {
    const quote = yield* this.cached('statement', statement, source, findEvidence);
    return quote === '' && context !== statement
      ? yield* this.cached('statement', context, source, findEvidence)
      : quote;
  }

  private *cached(
    kind: string,
    words: string,
    source: KnownSource,
    find: (words: string, text: SourceText) => Generator<unknown, string>,
  ): Generator<unknown, string> {
    const text = yield* this.sourceText(source);
    const key = `${kind} ${source.id} ${words}`;
    const known = this.quotes.get(key);
    if (known !== undefined) return known;
    const quote = yield* find(words, text);
    this.quotes.set(key, quote);
    return quote;
  }

  /** A source is looked through once, and again when more of it was read. */
  private *sourceText(source: KnownSource): Generator<unknown, SourceText> {
    const known = this.texts.get(source.id);
    if (known?.of.text === source.text) return known.text;
    for (const key of this.quotes.keys())
      if (key.split(' ', 2)[1] === String(source.id)) this.quotes.delete(key);
    const text = yield* SourceText.read(source.title, source.text);
    this.texts.set(source.id, { of: source, text });
    return text;
  }
}

const rank = ({ verified, quote }: Citation): number =>
  strength[`${verified}`] * 2 + (quote === '' ? 0 : 1);
