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

/** Which of two citations of the same source for the same words is kept: the higher one. */
const rankOf = ({ verified, quote }: Citation): number =>
  (verified === 'text' ? 4 : verified === 'provider' ? 2 : 0) + (quote === '' ? 0 : 1);

/**
 * Makes citations of references, in the order of the text and each source once for a span, and
 * looks their quotes up in the sources. Yields between two.
 */
export function* findCitations(
  text: string,
  { markers, links, spans }: References,
  sources: AnswerSources,
): Generator<unknown, Citation[]> {
  const quotes = new QuoteFinder();
  const found = new Map<string, Citation>();
  const add = (citation: Citation): void => {
    const key = `${citation.source} ${citation.start} ${citation.end}`;
    const known = found.get(key);
    if (!known || rankOf(citation) > rankOf(known)) found.set(key, citation);
  };
  for (const { ids, ...statement } of statementsIn(text, markers))
    for (const source of ids) {
      const quote = yield* quotes.about(statement.text, statement.context, sources.byId(source));
      const { start, end } = statement;
      add({ source, start, end, quote, verified: quote === '' ? false : 'text' });
      yield;
    }
  for (const { open, close, source } of links.slice(0, maxCitations)) {
    const [start, end] = [open.end, close.start];
    const known = sources.byId(source);
    if (start === -1 || end <= start || !known) continue;
    const sentence = sentenceAround(text, start, end);
    const quote = yield* quotes.about(sentence, sentence, known);
    add({ source, start, end, quote, verified: quote === '' ? false : 'text' });
    yield;
  }
  for (const { url, start, end, quote: given = '' } of spans.slice(0, maxCitations)) {
    const source = sources.byUrl(url);
    if (!source || end <= start) continue;
    const statement = withoutMarkdown(text.slice(start, end));
    const own =
      given === ''
        ? yield* quotes.about(statement, statement, source)
        : yield* quotes.literal(given, source);
    const verified = own === '' ? 'provider' : 'text';
    add({ source: source.id, start, end, quote: given === '' ? own : given, verified });
  }
  return [...found.values()]
    .sort((a, b) => a.start - b.start || a.end - b.end || a.source - b.source)
    .slice(0, maxCitations);
}

/** The statements that markers name sources for, with the ids of these. */
function* statementsIn(
  text: string,
  markers: readonly PlacedMarker[],
): Generator<CitedStatement & Pick<PlacedMarker, 'ids'>, void> {
  let previous: { end: number; statement: CitedStatement | null } | null = null;
  for (const { piece, ids } of markers.slice(0, maxCitations)) {
    if (piece.start === -1) return;
    const statement: CitedStatement | null = statementBefore(text, piece.start, previous);
    previous = { end: piece.end, statement };
    if (statement) yield { ...statement, ids };
  }
}

/** Looks up what sources say. Reads each source once, and finds equal words once. */
class QuoteFinder {
  private readonly texts = new Map<number, SourceText>();
  private readonly quotes = new Map<string, string>();

  /** What a source says of a statement, or else of the sentence around it; '' if it says nothing. */
  *about(
    statement: string,
    context: string,
    source: KnownSource | undefined,
  ): Generator<unknown, string> {
    if (!source) return '';
    const quote = yield* this.cached('statement', statement, source, findEvidence);
    return quote === '' && context !== statement
      ? yield* this.cached('statement', context, source, findEvidence)
      : quote;
  }

  /** A quotation as the source has it; '' if it does not have it. */
  literal(quotation: string, source: KnownSource): Generator<unknown, string> {
    return this.cached('quotation', quotation, source, literalQuote);
  }

  private *cached(
    kind: string,
    words: string,
    source: KnownSource,
    find: (words: string, text: SourceText) => Generator<unknown, string>,
  ): Generator<unknown, string> {
    const { id, title } = source;
    const text = this.texts.get(id) ?? (yield* SourceText.read(title, source.text));
    this.texts.set(id, text);
    const key = `${kind} ${id} ${words}`;
    const quote = this.quotes.get(key) ?? (yield* find(words, text));
    this.quotes.set(key, quote);
    return quote;
  }
}
