import { inTurns } from '../../async/turns.js';
import { estimateTokens } from '../../models/tokens.js';
import { parseUrl } from '../../text/parse-url.js';
import { packPassages } from '../search/passages/pack-passages.js';
import type { NotedFact, NotedSource, ResearchQuestion, ResearchSource } from './research-notes.js';
import type { ResearchRun } from './research-run.js';
import type { ResearchState } from './research-state.js';

/** What the writer receives. */
export interface WritingMaterial {
  /** '' where nothing was found. */
  readonly text: string;
  /** Those of the text. */
  readonly sources: readonly ResearchSource[];
}

/** For a source's number, title and address around its passages. */
const tokensPerSource = 60;

/** Sources as an answer has them. */
export const toSources = (
  state: ResearchState,
  sources: readonly NotedSource[],
): ResearchSource[] =>
  sources.map((source) => {
    const { excerpt: _excerpt, ...page } = source;
    return { ...page, text: state.wordsOf(source) };
  });

/** The best notes that fit; without any, passages of read pages, and engines' words on others. */
export async function gatherMaterial(
  run: ResearchRun,
  maxTokens: number,
): Promise<WritingMaterial> {
  const { state } = run;
  const { text, sources } = packFacts(state, state.questions, maxTokens);
  if (text !== '') return { text, sources: toSources(state, sources) };
  return packTexts(run, [...toSources(state, state.sources), ...unread(state)], maxTokens);
}

/** Pages that were found only; their numbers follow those of the others. */
function unread(state: ResearchState): ResearchSource[] {
  const last = Math.max(0, ...state.sources.map(({ id }) => id));
  return state.unread
    .filter(({ snippet }) => snippet !== '')
    .map(({ question: _question, rank: _rank, ...page }, index) => ({
      ...page,
      id: last + index + 1,
      fetchedAt: null,
      text: page.snippet,
    }));
}

async function packTexts(
  { context }: ResearchRun,
  sources: readonly ResearchSource[],
  maxTokens: number,
): Promise<WritingMaterial> {
  const question = `${context.topic}\n${context.message}`;
  const limits = { maxTokens, tokensPerText: tokensPerSource };
  const packed = await inTurns(packPassages(question, sources, limits));
  const parts = packed.map(({ source, passages }) => {
    const { id, title } = sources[source]!;
    return `[${id}] ${title}\n${passages.join('\n…\n')}`;
  });
  const used = packed.map(({ source }) => sources[source]!).sort((a, b) => a.id - b.id);
  return { text: parts.join('\n\n'), sources: used };
}

/** Notes as a model reads them. */
export interface PackedFacts {
  /** '' where there are none. */
  readonly text: string;
  /** The sources whose numbers it has. */
  readonly sources: readonly NotedSource[];
  /** How many facts it has. */
  readonly count: number;
}

/** How many places a fact without a quotation loses. */
const unquotedLoss = 3;

const comparable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim();

/** Best first; sources in turns. */
function ordered(facts: readonly NotedFact[]): NotedFact[] {
  const turns = new Map<number, number>();
  const lossOf = ({ quote, rank }: NotedFact): number => rank + (quote === '' ? unquotedLoss : 0);
  return facts
    .toSorted((a, b) => lossOf(a) - lossOf(b))
    .map((fact) => {
      const turn = turns.get(fact.source) ?? 0;
      turns.set(fact.source, turn + 1);
      return { fact, loss: Math.max(turn, lossOf(fact)) };
    })
    .sort((a, b) => a.loss - b.loss)
    .map(({ fact }) => fact);
}

/** The facts of several questions, in turns. */
function interleaved(lists: readonly (readonly NotedFact[])[]): NotedFact[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list[turn] ?? []),
  ).flat();
}

const factLine = ({ fact, quote, source }: NotedFact): string =>
  `- ${fact} [${source}]${quote === '' || quote === fact ? '' : ` (“${quote}”)`}`;

const sourceLine = ({ id, title, url, publishedAt }: NotedSource): string =>
  `[${id}] ${[title, parseUrl(url)?.hostname, publishedAt?.slice(0, 10)].filter(Boolean).join(', ')}`;

/** The best facts of each question that fit, with the sources that they are from. */
export function packFacts(
  state: ResearchState,
  questions: readonly ResearchQuestion[],
  maxTokens: number,
): PackedFacts {
  const facts = interleaved(
    questions.map(({ id }) => ordered(state.facts.filter(({ question }) => question === id))),
  );
  const sources = new Map(state.sources.map((source) => [source.id, source]));
  const used = new Set<number>();
  const seen = new Set<string>();
  const lines = new Map(questions.map(({ id, text }) => [id, [`Question ${id}: ${text}`]]));
  let left = maxTokens - [...lines.values()].reduce((sum, [line]) => sum + tokensOf(line!), 20);
  let count = 0;
  for (const fact of facts) {
    const source = sources.get(fact.source);
    const key = `${fact.source} ${comparable(fact.fact)}`;
    if (!source || seen.has(key)) continue;
    const line = factLine(fact);
    const cost = tokensOf(line) + (used.has(source.id) ? 0 : tokensOf(sourceLine(source)));
    if (cost > left) continue;
    left -= cost;
    seen.add(key);
    used.add(source.id);
    count++;
    lines.get(fact.question)!.push(line);
  }
  const shown = [...sources.values()].filter(({ id }) => used.has(id));
  return { text: count === 0 ? '' : render([...lines.values()], shown), sources: shown, count };
}

const tokensOf = (line: string): number => estimateTokens(line) + 2;

function render(parts: readonly string[][], sources: readonly NotedSource[]): string {
  const list = ['Sources:', ...sources.map(sourceLine)];
  return [...parts.filter(({ length }) => length > 1), list]
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
