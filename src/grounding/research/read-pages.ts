import type { ChatMessage } from '../../completion.js';
import { inTurns } from '../../async/turns.js';
import { untilAborted } from '../../async/until-aborted.js';
import { parseUrl } from '../../text/parse-url.js';
import { packPassages } from '../search/passages/pack-passages.js';
import { estimateTokens } from '../../models/tokens.js';
import type { BudgetReservation } from './budget-ledger.js';
import { readMessages } from './prompts.js';
import { readNotes, type WrittenNote } from './read-answers.js';
import {
  cutNoted,
  type UnreadPage,
  notedLengths,
  type NotedSource,
  oneLine,
  type ResearchQuestion,
} from './research-notes.js';
import { inParallel, promptTokens, type ResearchRun } from './research-run.js';
import type { ReadFact, ReadPage, ResearchState } from './research-state.js';

/** The tokens of one reading. */
interface ReadingSize {
  readonly prompt: number;
  readonly answer: number;
}

/** An engine's text that is long enough to stand for a page that cannot be read. */
const minContentLength = 400;

/** A page costs at most an eighth of the tokens that are left. */
function sizeOf(run: ResearchRun): ReadingSize {
  const share = Math.floor(run.ledger.left.tokens / 8);
  const answer = Math.min(1_500, Math.max(300, Math.floor(share / 4)));
  const wanted = Math.min(run.width.pageTokens, run.contextOf('reader') - answer);
  const overhead = promptTokens(messagesFor(run, ''));
  return { prompt: Math.min(wanted, Math.max(overhead + 300, share)), answer };
}

const messagesFor = ({ context, state }: ResearchRun, page: string): ChatMessage[] =>
  readMessages(context, questionsOf(state), page);

const questionsOf = ({ openQuestions, questions }: ResearchState): readonly ResearchQuestion[] =>
  openQuestions.length > 0 ? openQuestions : questions;

/** Takes notes of pages that an earlier run read. */
export async function noteWaiting(run: ResearchRun, signal: AbortSignal): Promise<void> {
  const waiting = run.state.sources.filter(({ excerpt }) => excerpt !== null);
  const size = sizeOf(run);
  await inParallel(waiting, async (source) => {
    const reservation = await reserve(run, size, signal);
    if (reservation) await takeNotes(run, source, reservation, size, signal);
  });
}

/** Reads the pages that are most worth it, and takes notes of them. */
export async function readPages(run: ResearchRun, signal: AbortSignal): Promise<void> {
  const { state, ledger, width } = run;
  const count = Math.max(width.pages, Math.floor(ledger.left.steps / run.roundsLeft) - 1);
  const read = state.sources.map(({ url }) => url);
  const size = sizeOf(run);
  await inParallel(choosePages(state.found, read, count), (page) =>
    readOne(run, page, size, signal),
  );
}

async function reserve(
  run: ResearchRun,
  { prompt, answer }: ReadingSize,
  signal: AbortSignal,
): Promise<BudgetReservation | null> {
  if (run.ledger.stoppedBy !== null) return null;
  // the page and its notes together: a page without notes is of no use
  return run.reserve(run.most('reader', prompt, answer), signal);
}

async function readOne(
  run: ResearchRun,
  found: UnreadPage,
  size: ReadingSize,
  signal: AbortSignal,
): Promise<void> {
  const reservation = await reserve(run, size, signal);
  if (reservation === null) return;
  const page = await fetchPage(run, found, size, signal).catch((error: unknown) => {
    // nothing but a step was used
    reservation.settle({ steps: 1, tokens: 0, costUsd: 0 });
    throw error;
  });
  const source = page && run.state.addSource(page, found.url);
  if (source) {
    const { id, url, title } = source;
    run.report(`Read “${title}”.`, { source: { id, url, title } });
    await takeNotes(run, source, reservation, size, signal);
    return;
  }
  reservation.settle({ steps: 1, tokens: 0, costUsd: 0 });
  run.state.skip(found.url);
  run.report(`“${found.title}” could not be read, or was read before.`);
}

/** @returns null if there is nothing to read */
async function fetchPage(
  run: ResearchRun,
  found: UnreadPage,
  size: ReadingSize,
  signal: AbortSignal,
): Promise<ReadPage | null> {
  const { question: _question, rank: _rank, ...known } = found;
  const content = run.state.contentOf(found.url) ?? '';
  try {
    const page = await untilAborted(run.web.read(found.url, signal), signal);
    run.pagesRead++;
    const excerpt = await excerptOf(run, page.title ?? found.title, page.text, size);
    if (excerpt === '') return null;
    return {
      ...known,
      url: page.url.length > notedLengths.url ? found.url : page.url,
      title: oneLine(page.title ?? '', notedLengths.title) || found.title,
      publishedAt: page.publishedAt ?? found.publishedAt,
      fetchedAt: page.fetchedAt,
      excerpt,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    if (content.length < minContentLength) return null;
    const excerpt = await excerptOf(run, found.title, content, size);
    return { ...known, fetchedAt: null, excerpt };
  }
}

/** The passages that answer best, as many as fit; the beginning where none is better. */
async function excerptOf(
  run: ResearchRun,
  title: string,
  text: string,
  { prompt }: ReadingSize,
): Promise<string> {
  const { state, context } = run;
  const maxTokens = prompt - promptTokens(messagesFor(run, '')) - estimateTokens(title) - 40;
  const question = [context.topic, ...questionsOf(state).map(({ text }) => text)].join('\n');
  const limits = { maxTokens, minShare: 0 };
  const [packed] = await inTurns(packPassages(question, [{ title, text }], limits));
  const passages = packed?.passages ?? [];
  const excerpt = passages.length > 0 ? passages.join('\n…\n') : text.slice(0, maxTokens);
  return excerpt.slice(0, notedLengths.excerpt).trim();
}

async function takeNotes(
  run: ResearchRun,
  source: NotedSource,
  reservation: BudgetReservation,
  { prompt, answer }: ReadingSize,
  signal: AbortSignal,
): Promise<void> {
  let excerpt = source.excerpt ?? '';
  const messages = () => messagesFor(run, `${source.title}\n\n${excerpt}`);
  // passages are counted one by one; together they may be a little more
  while (excerpt !== '' && promptTokens(messages()) > prompt)
    excerpt = cutNoted(excerpt, excerpt.length * 0.9);
  const call = { role: 'reader', messages: messages(), maxTokens: answer } as const;
  try {
    const written = readNotes(await run.askWith(reservation, call, signal));
    const count = run.state.addFacts(source.id, supported(run, written, excerpt));
    run.report(`Noted ${count} facts of “${source.title}”.`);
  } catch (error) {
    if (signal.aborted) throw error;
    run.report(`No notes could be taken of “${source.title}”.`);
  }
}

/** The notes that the page supports: with the quotation, or at least all of the fact's numbers. */
function supported(run: ResearchRun, notes: readonly WrittenNote[], text: string): ReadFact[] {
  const questions = questionsOf(run.state);
  const ids = new Set(questions.map(({ id }) => id));
  const isQuoted = quoteFinder(text);
  const numbers = new Set(digitsOf(text));
  return notes.flatMap(({ question: named, fact, quote }) => {
    const question = named !== null && ids.has(named) ? named : questions[0]?.id;
    if (question === undefined) return [];
    if (isQuoted(quote)) return [{ question, fact, quote }];
    const isPossible = digitsOf(fact).every((number) => numbers.has(number));
    return isPossible ? [{ question, fact, quote: '' }] : [];
  });
}

/** Text as it is compared: without differences of case, spaces, dashes and quotation marks. */
const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[\p{Pi}\p{Pf}"'`´]/gu, "'")
    .replace(/[\s\p{Cf}]+/gu, ' ')
    .trim();

/** A shorter quotation says nothing. */
const minQuoteLength = 4;

/** Looks for quotations in a text; ends that are left out, as by `…`, do not count. */
export function quoteFinder(text: string): (quote: string) => boolean {
  const compared = comparable(text);
  return (quote) => {
    const wanted = comparable(quote).replace(/^['.… ]+|['.… ]+$/g, '');
    return wanted.length >= minQuoteLength && compared.includes(wanted);
  };
}

/** The numbers in a text, without separators: `1,234.5` and `1.234,5` are the same. */
const digitsOf = (text: string): string[] =>
  (text.normalize('NFKC').match(/\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+){0,9}/gu) ?? []).map(
    (number) => number.replace(/\P{Nd}/gu, ''),
  );

/** How many ranks a page loses for each page of its host, or for its question, that is chosen. */
const hostLoss = 4;
const questionLoss = 2;

const hostOf = (url: string): string =>
  (parseUrl(url)?.hostname ?? url).replace(/^www\./, '').toLowerCase();

/**
 * The pages that are worth reading next: by the engines' order, from different hosts and for
 * different questions.
 * @param read addresses of pages that were read before
 */
export function choosePages(
  found: readonly UnreadPage[],
  read: readonly string[],
  count: number,
): UnreadPage[] {
  const hosts = new Map<string, number>();
  const questions = new Map<number, number>();
  const add = <K>(counts: Map<K, number>, key: K): unknown =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const url of read) add(hosts, hostOf(url));
  const left = found.map((page) => ({ page, host: hostOf(page.url) }));
  const lossOf = ({ page, host }: (typeof left)[number]): number =>
    page.rank +
    hostLoss * (hosts.get(host) ?? 0) +
    questionLoss * (questions.get(page.question) ?? 0);
  const chosen: UnreadPage[] = [];
  while (chosen.length < count && left.length > 0) {
    const losses = left.map(lossOf);
    const [{ page, host }] = left.splice(losses.indexOf(Math.min(...losses)), 1) as [
      (typeof left)[number],
    ];
    add(hosts, host);
    add(questions, page.question);
    chosen.push(page);
  }
  return chosen;
}
