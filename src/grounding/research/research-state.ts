import { parseUrl } from '../../text/parse-url.js';
import { canonicalUrl } from '../search/canonical-url.js';
import type { SearchResult } from '../search/search-engine.js';
import type { PlannedQuestion } from './read-answers.js';
import {
  boundNotes,
  cutNoted,
  type UnreadPage,
  type NotedFact,
  notedCounts,
  notedLengths,
  type NotedSource,
  type NotedSpending,
  oneLine,
  type ResearchNotes,
  type ResearchPhase,
  type ResearchQuestion,
} from './research-notes.js';

/** A search for one question. */
export interface QuestionQuery {
  readonly question: number;
  readonly query: string;
}

/** A fact as the reader noted it. */
export type ReadFact = Pick<NotedFact, 'question' | 'fact' | 'quote'>;

/** A page as it was read. */
export type ReadPage = Omit<NotedSource, 'id' | 'excerpt'> & { readonly excerpt: string };

const comparable = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** What a run knows. Lists only grow, but for what waits: queries and pages that were found. */
export class ResearchState {
  phase: ResearchPhase;
  private readonly asked: string[];
  questions: readonly ResearchQuestion[];
  /** The queries that were searched for. */
  readonly searched: string[];
  /** By canonical address. */
  private readonly foundPages: Map<string, UnreadPage>;
  private readonly failedQueries = new Set<string>();
  /** Those of this run that could not be read. */
  private readonly skippedPages: UnreadPage[] = [];
  private readonly seen: Set<string>;
  private readonly sourceList: Map<number, NotedSource>;
  readonly facts: NotedFact[];
  /** What was read in this run, by source, also when notes of it were taken. */
  private readonly texts = new Map<number, string>();
  /** The engines' texts of pages, by canonical address; they are not kept in notes. */
  private readonly contents = new Map<string, string>();

  /** @param asked the client's question, in which case it is new if no earlier run was asked it */
  constructor(
    asked: string,
    private readonly earlier: ResearchNotes | null,
  ) {
    const question = cutNoted(asked, notedLengths.asked);
    const before = earlier?.asked ?? [];
    const isNew = !before.includes(question);
    // the topic stays, however many questions follow
    this.asked = isNew ? [...before, question].slice(-notedCounts.asked) : [...before];
    if (isNew && before[0] !== undefined) this.asked[0] = before[0];
    this.phase = isNew ? 'plan' : (earlier?.phase ?? 'plan');
    this.questions = [...(earlier?.questions ?? [])];
    this.searched = [...(earlier?.searched ?? [])];
    this.foundPages = new Map(earlier?.found.map((page) => [canonicalUrl(page.url), page]));
    this.seen = new Set(earlier?.seen);
    this.sourceList = new Map(earlier?.sources.map((source) => [source.id, source]));
    for (const { url } of this.sourceList.values()) this.seen.add(canonicalUrl(url));
    this.facts = [...(earlier?.facts ?? [])];
  }

  /** What the client asked first. */
  get topic(): string {
    return this.asked[0]!;
  }

  get openQuestions(): readonly ResearchQuestion[] {
    return this.questions.filter(({ answered }) => !answered);
  }

  /** Those of open questions. */
  get found(): readonly UnreadPage[] {
    const open = new Set(this.openQuestions.map(({ id }) => id));
    return [...this.foundPages.values()].filter(({ question }) => open.has(question));
  }

  /** Pages of which only the engines' words are known. */
  get unread(): readonly UnreadPage[] {
    return [...this.skippedPages, ...this.found];
  }

  get sources(): readonly NotedSource[] {
    return [...this.sourceList.values()];
  }

  /** Adds those that are new, and their queries. @returns how many questions were new */
  addQuestions(planned: readonly PlannedQuestion[], maxNew: number): number {
    const known = new Set(this.questions.map(({ text }) => comparable(text)));
    let added = 0;
    for (const { question, queries } of planned) {
      const text = oneLine(question, notedLengths.question);
      const isFull = added >= maxNew || this.questions.length >= notedCounts.questions;
      if (text === '' || known.has(comparable(text)) || isFull) continue;
      known.add(comparable(text));
      const id = this.questions.reduce((max, { id }) => Math.max(max, id), 0) + 1;
      this.questions = [...this.questions, { id, text, queries: [], answered: false }];
      this.addQueries(id, queries.length === 0 ? [text] : queries);
      added++;
    }
    return added;
  }

  /** Adds searches that were not made yet. */
  addQueries(question: number, queries: readonly string[]): void {
    const done = new Set(this.searched.map(comparable));
    this.change(question, (known) => {
      const waiting = [...known.queries];
      for (const query of queries.map((text) => oneLine(text, notedLengths.query))) {
        const isKnown = waiting.some((other) => comparable(other) === comparable(query));
        if (query === '' || isKnown || done.has(comparable(query))) continue;
        if (waiting.length < notedCounts.queries) waiting.push(query);
      }
      return { ...known, queries: waiting };
    });
  }

  setAnswered(question: number, answered: boolean): void {
    this.change(question, (known) => ({ ...known, answered }));
  }

  /** The next searches of the open questions, in turns; each query once. */
  nextQueries(count: number): QuestionQuery[] {
    const next: QuestionQuery[] = [];
    const taken = new Set<string>();
    for (let turn = 0; turn < notedCounts.queries; turn++)
      for (const { id, queries } of this.openQuestions) {
        const query = queries[turn];
        if (query === undefined || taken.has(comparable(query))) continue;
        if (this.failedQueries.has(comparable(query))) continue;
        taken.add(comparable(query));
        if (next.length < count) next.push({ question: id, query });
      }
    return next;
  }

  /** A search failed. It stays among those that wait, for a later run. */
  failQuery(query: string): void {
    this.failedQueries.add(comparable(query));
  }

  /** A search is over. */
  addResults({ question, query }: QuestionQuery, results: readonly SearchResult[]): void {
    const done = comparable(query);
    this.searched.push(oneLine(query, notedLengths.query));
    if (this.searched.length > notedCounts.searched) this.searched.shift();
    this.questions = this.questions.map((known) => ({
      ...known,
      queries: known.queries.filter((other) => comparable(other) !== done),
    }));
    for (const [rank, result] of results.entries()) {
      const canonical = canonicalUrl(result.url);
      if (result.content !== undefined) this.contents.set(canonical, result.content);
      const isKnown = this.seen.has(canonical) || this.foundPages.has(canonical);
      if (isKnown || !isReadable(result.url) || this.foundPages.size >= notedCounts.found) continue;
      this.foundPages.set(canonical, {
        url: result.url,
        title: oneLine(result.title, notedLengths.title),
        snippet: oneLine(result.snippet, notedLengths.snippet),
        publishedAt: result.publishedAt,
        via: oneLine(result.engine, notedLengths.via),
        question,
        rank,
      });
    }
  }

  /** The text that an engine sent of a page, if one did. */
  contentOf(url: string): string | null {
    return this.contents.get(canonicalUrl(url)) ?? null;
  }

  /** A page cannot be read, or is not worth it. */
  skip(url: string): void {
    const page = this.foundPages.get(canonicalUrl(url));
    if (page) this.skippedPages.push(page);
    this.see(url);
  }

  /**
   * A page was read. @param foundAt where the search found it
   * @returns the source; null if that page was read before, by another address
   */
  addSource(page: ReadPage, foundAt: string): NotedSource | null {
    const isKnown =
      canonicalUrl(page.url) !== canonicalUrl(foundAt) && this.seen.has(canonicalUrl(page.url));
    this.see(foundAt);
    if (isKnown || this.sourceList.size >= notedCounts.sources) return null;
    this.see(page.url);
    const id = Math.max(0, ...this.sourceList.keys()) + 1;
    const source = { ...page, id, excerpt: cutNoted(page.excerpt, notedLengths.excerpt) };
    this.sourceList.set(id, source);
    this.texts.set(id, source.excerpt);
    return source;
  }

  /** Notes of a page were taken. @returns how many facts were new */
  addFacts(source: number, facts: readonly ReadFact[]): number {
    const known = this.sourceList.get(source);
    if (known) this.sourceList.set(source, { ...known, excerpt: null });
    const before = this.facts.length;
    const texts = new Set(
      this.facts.filter((fact) => fact.source === source).map(({ fact }) => comparable(fact)),
    );
    for (const { question, fact, quote } of facts) {
      const text = oneLine(fact, notedLengths.fact);
      if (text === '' || texts.has(comparable(text)) || this.facts.length >= notedCounts.facts)
        continue;
      texts.add(comparable(text));
      const rank = texts.size - 1;
      const noted = { fact: text, quote: oneLine(quote, notedLengths.quote), rank };
      this.facts.push({ question, source, ...noted });
    }
    return this.facts.length - before;
  }

  /** What is known of a source's own words. */
  wordsOf({ id, snippet, excerpt }: NotedSource): string {
    const text = this.texts.get(id) ?? excerpt;
    if (text !== null) return text;
    const quotes = this.facts.filter(({ source }) => source === id).map(({ quote }) => quote);
    return [snippet, ...quotes].filter((part) => part !== '').join('\n');
  }

  /** @param spent what this run used */
  notes({ steps, seconds, tokens, costUsd }: NotedSpending): ResearchNotes {
    const before = this.earlier?.spent ?? { steps: 0, seconds: 0, tokens: 0, costUsd: 0 };
    const isCostKnown = costUsd !== null && before.costUsd !== null;
    return boundNotes({
      version: 1,
      phase: this.phase,
      asked: [...this.asked],
      questions: [...this.questions],
      searched: [...this.searched],
      found: [...this.foundPages.values()],
      seen: [...this.seen].slice(-notedCounts.seen),
      sources: this.sources,
      facts: [...this.facts],
      spent: {
        steps: before.steps + steps,
        seconds: before.seconds + seconds,
        tokens: before.tokens + tokens,
        costUsd: isCostKnown ? before.costUsd + costUsd : null,
      },
    });
  }

  private see(url: string): void {
    const canonical = canonicalUrl(url);
    this.seen.add(canonical);
    this.foundPages.delete(canonical);
  }

  private change(id: number, changed: (known: ResearchQuestion) => ResearchQuestion): void {
    this.questions = this.questions.map((known) => (known.id === id ? changed(known) : known));
  }
}

const isReadable = (url: string): boolean =>
  url.length <= notedLengths.url && /^https?:$/.test(parseUrl(url)?.protocol ?? '');
