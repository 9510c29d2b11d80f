import {
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
import { isObject } from '../../text/is-object.js';

const phases: readonly ResearchPhase[] = ['plan', 'gather', 'write', 'done'];

const lineIn = (value: unknown, maxLength: number): string =>
  typeof value === 'string' ? oneLine(value, maxLength) : '';

const lineOrNull = (value: unknown): string | null => lineIn(value, 64) || null;

const idIn = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

const countIn = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

/** What `read` makes of each value of a list; what it returns null for is left out. */
function listOf<T>(value: unknown, maxCount: number, read: (item: unknown) => T | null): T[] {
  if (!Array.isArray(value)) return [];
  const items = (value as unknown[]).slice(0, maxCount).map(read);
  return items.filter((item) => item !== null);
}

const linesOf = (value: unknown, maxCount: number, maxLength: number): string[] =>
  listOf(value, maxCount, (item) => lineIn(item, maxLength) || null);

/** Without those whose id is there already. */
function uniqueById<T extends { readonly id: number }>(items: readonly T[]): T[] {
  const ids = new Set<number>();
  return items.filter(({ id }) => !ids.has(id) && ids.add(id));
}

function readQuestion(value: unknown): ResearchQuestion | null {
  if (!isObject(value)) return null;
  const id = idIn(value.id);
  const text = lineIn(value.text, notedLengths.question);
  const queries = linesOf(value.queries, notedCounts.queries, notedLengths.query);
  return id === 0 || text === '' ? null : { id, text, queries, answered: value.answered === true };
}

function readFound(value: unknown): UnreadPage | null {
  if (!isObject(value)) return null;
  const url = lineIn(value.url, notedLengths.url);
  const question = idIn(value.question);
  if (url === '' || question === 0) return null;
  return { ...readPage(value), question, rank: countIn(value.rank) };
}

function readPage(value: Record<string, unknown>): Omit<UnreadPage, 'question' | 'rank'> {
  return {
    url: lineIn(value.url, notedLengths.url),
    title: lineIn(value.title, notedLengths.title),
    snippet: lineIn(value.snippet, notedLengths.snippet),
    publishedAt: lineOrNull(value.publishedAt),
    via: lineIn(value.via, notedLengths.via),
  };
}

function readSource(value: unknown): NotedSource | null {
  if (!isObject(value)) return null;
  const id = idIn(value.id);
  const page = readPage(value);
  if (id === 0 || page.url === '') return null;
  const excerpt =
    typeof value.excerpt === 'string' ? cutNoted(value.excerpt, notedLengths.excerpt) : null;
  return { id, ...page, fetchedAt: lineOrNull(value.fetchedAt), excerpt };
}

function readFact(value: unknown): NotedFact | null {
  if (!isObject(value)) return null;
  const question = idIn(value.question);
  const source = idIn(value.source);
  const fact = lineIn(value.fact, notedLengths.fact);
  if (question === 0 || source === 0 || fact === '') return null;
  const quote = lineIn(value.quote, notedLengths.quote);
  return { question, source, fact, quote, rank: countIn(value.rank) };
}

function readSpending(value: unknown): NotedSpending {
  const given = isObject(value) ? value : {};
  return {
    steps: countIn(given.steps),
    seconds: countIn(given.seconds),
    tokens: countIn(given.tokens),
    costUsd: given.costUsd === null ? null : countIn(given.costUsd),
  };
}

/**
 * Notes as they were stored. Parts that are not understood are left out.
 * @returns null if they are none of this version
 */
export function parseNotes(value: unknown): ResearchNotes | null {
  if (!isObject(value) || value.version !== 1) return null;
  const asked = listOf(value.asked, notedCounts.asked, (text) =>
    typeof text === 'string' && text !== '' ? cutNoted(text, notedLengths.asked) : null,
  );
  if (asked.length === 0) return null;
  const questions = uniqueById(listOf(value.questions, notedCounts.questions, readQuestion));
  const sources = uniqueById(listOf(value.sources, notedCounts.sources, readSource));
  const questionIds = new Set(questions.map(({ id }) => id));
  const sourceIds = new Set(sources.map(({ id }) => id));
  return {
    version: 1,
    phase: phases.find((phase) => phase === value.phase) ?? 'plan',
    asked,
    questions,
    searched: linesOf(value.searched, notedCounts.searched, notedLengths.query),
    found: listOf(value.found, notedCounts.found, readFound).filter(({ question }) =>
      questionIds.has(question),
    ),
    seen: linesOf(value.seen, notedCounts.seen, notedLengths.url),
    sources,
    facts: listOf(value.facts, notedCounts.facts, readFact).filter(
      ({ question, source }) => questionIds.has(question) && sourceIds.has(source),
    ),
    spent: readSpending(value.spent),
  };
}
