import { estimateTokens } from '../../models/tokens.js';
import { parseUrl } from '../../text/parse-url.js';
import type { NotedFact, NotedSource, ResearchQuestion } from './research-notes.js';
import type { ResearchState } from './research-state.js';

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
function inTurns(lists: readonly (readonly NotedFact[])[]): NotedFact[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list[turn] ?? []),
  ).flat();
}

const factLine = ({ fact, quote, source }: NotedFact): string =>
  `- ${fact} [${source}]${quote === '' || quote === fact ? '' : ` (“${quote}”)`}`;

const sourceLine = ({ id, title, url, publishedAt }: NotedSource): string =>
  `[${id}] ${[title, parseUrl(url)?.hostname, publishedAt?.slice(0, 10)].filter(Boolean).join(', ')}`;

/**
 * The best facts of each question that fit, with the sources that they are from.
 */
export function packFacts(
  state: ResearchState,
  questions: readonly ResearchQuestion[],
  maxTokens: number,
): PackedFacts {
  const facts = inTurns(
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
