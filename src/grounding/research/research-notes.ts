/** Where a run is: `plan`, `gather` (search, read, check), `write` or `done`. */
export type ResearchPhase = 'plan' | 'gather' | 'write' | 'done';

/** A question that a run looks into. */
export interface ResearchQuestion {
  /** From 1. */
  readonly id: number;
  readonly text: string;
  /** What will be searched for next, in order. */
  readonly queries: readonly string[];
  readonly answered: boolean;
}

/** A page that a search found, and that was not read yet. */
export interface UnreadPage {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  readonly publishedAt: string | null;
  /** The engine that found it. */
  readonly via: string;
  /** The question that was searched for. */
  readonly question: number;
  /** Its place in the engine's order, from 0. */
  readonly rank: number;
}

/** A page that was read. */
export interface NotedSource extends Omit<UnreadPage, 'question' | 'rank'> {
  /** From 1, in the order in which they were read. */
  readonly id: number;
  /** Null: the engine sent the text. */
  readonly fetchedAt: string | null;
  /** The part of its text that notes are still to be taken of; null: they were taken. */
  readonly excerpt: string | null;
}

/** A page that an answer may cite. */
export interface ResearchSource extends Omit<NotedSource, 'excerpt'> {
  /** The part of its words that was read; after a resumed run, what its notes quote. */
  readonly text: string;
}

/** What a page says about a question. */
export interface NotedFact {
  readonly question: number;
  readonly source: number;
  /** In the reader's words. */
  readonly fact: string;
  /** In the page's words, as they were found there; '': none. */
  readonly quote: string;
  /** Among the notes of its page, from 0. */
  readonly rank: number;
}

/** What all runs together used that these notes are from. */
export interface NotedSpending {
  readonly steps: number;
  readonly seconds: number;
  readonly tokens: number;
  /** Null: unknown. */
  readonly costUsd: number | null;
}

/** All that a run knows after a step: JSON, by which another run continues. A megabyte at most. */
export interface ResearchNotes {
  readonly version: 1;
  readonly phase: ResearchPhase;
  /** What the client asked, message by message: the first one is the topic. */
  readonly asked: readonly string[];
  readonly questions: readonly ResearchQuestion[];
  /** Queries that were answered. */
  readonly searched: readonly string[];
  readonly found: readonly UnreadPage[];
  /** Canonical addresses of all pages that were read, or could not be. */
  readonly seen: readonly string[];
  readonly sources: readonly NotedSource[];
  readonly facts: readonly NotedFact[];
  readonly spent: NotedSpending;
}

/** Longer texts are cut where they enter the notes. */
export const notedLengths = {
  asked: 4_000,
  question: 300,
  query: 200,
  url: 2_048,
  title: 200,
  snippet: 400,
  via: 64,
  excerpt: 60_000,
  fact: 500,
  quote: 400,
} as const;

/** More are left out where they enter the notes. */
export const notedCounts = {
  asked: 10,
  questions: 24,
  queries: 6,
  searched: 300,
  found: 400,
  seen: 2_000,
  sources: 1_000,
  facts: 2_000,
} as const;

/** Of notes as UTF-8 JSON. */
export const maxNotesBytes = 1_000_000;

/** A text on one line, cut to a length without half a character. */
export function oneLine(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return cutNoted(line, maxLength);
}

/** The beginning of a text, without halves of characters and without control characters. */
export const cutNoted = (text: string, maxLength: number): string =>
  text
    .slice(0, maxLength)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/[^\P{Cc}\n\t]/gu, ' ');

const sizeOf = (notes: ResearchNotes): number => Buffer.byteLength(JSON.stringify(notes));

/**
 * Notes of at most `maxNotesBytes`. First the pages that were not read are given up, then the
 * weaker facts of each page, then pages without facts; the addresses of pages go last, because
 * without them a page may be read twice.
 */
export function boundNotes(notes: ResearchNotes): ResearchNotes {
  let bounded = notes;
  const thinnings = [
    (share: number) => ({ found: notes.found.slice(0, notes.found.length * share) }),
    (share: number) => ({ facts: bestFacts(notes.facts, notes.facts.length * share) }),
    (share: number) => ({ sources: thinnedSources(notes.sources, bounded.facts, share) }),
    (share: number) => ({ seen: notes.seen.slice(-notes.seen.length * share) }),
  ];
  for (const thinned of thinnings)
    for (const share of [0.5, 0.25, 0.1, 0.02]) {
      if (sizeOf(bounded) <= maxNotesBytes) return bounded;
      bounded = { ...bounded, ...thinned(share) };
    }
  return bounded;
}

const bestFacts = (facts: readonly NotedFact[], count: number): NotedFact[] =>
  facts.toSorted((a, b) => a.rank - b.rank).slice(0, count);

/** The sources that facts name, and some of those that wait for notes, with shorter texts. */
function thinnedSources(
  sources: readonly NotedSource[],
  facts: readonly NotedFact[],
  share: number,
): NotedSource[] {
  const named = new Set(facts.map(({ source }) => source));
  const waiting = sources.filter(({ excerpt }) => excerpt !== null);
  const kept = new Set(waiting.slice(0, waiting.length * share).map(({ id }) => id));
  const maxLength = (notedLengths.excerpt * share) / 10;
  return sources
    .filter(({ id }) => named.has(id) || kept.has(id))
    .map((source) => ({
      ...source,
      excerpt: source.excerpt && cutNoted(source.excerpt, maxLength),
    }));
}

/** Notes as the gateway stored them. @returns null if they are of another version */
export function readStoredNotes(json: string): ResearchNotes | null {
  const notes = JSON.parse(json) as ResearchNotes | { readonly version: 0 };
  return notes.version === 1 ? notes : null;
}
