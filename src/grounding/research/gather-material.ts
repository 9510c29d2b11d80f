import type { RankedText } from '../search/passages/score-passages.js';
import { packPassages } from '../search/passages/pack-passages.js';
import { packFacts } from './pack-facts.js';
import type { NotedSource } from './research-notes.js';
import type { ResearchRun } from './research-run.js';
import type { ResearchState } from './research-state.js';

/** A page that an answer may cite. */
export interface ResearchSource extends Omit<NotedSource, 'excerpt'> {
  /** The part of its words that was read; after a resumed run, what its notes quote. */
  readonly text: string;
}

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
    return { ...page, text: state.textOf(source) };
  });

/**
 * The best notes that fit; where there are none, passages of pages that were read, and what the
 * engines say of pages that were not.
 */
export function gatherMaterial(run: ResearchRun, maxTokens: number): WritingMaterial {
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

function packTexts(
  { context }: ResearchRun,
  sources: readonly ResearchSource[],
  maxTokens: number,
): WritingMaterial {
  const question = `${context.topic}\n${context.message}`;
  const texts: readonly RankedText[] = sources;
  const packed = packPassages(question, texts, { maxTokens, tokensPerText: tokensPerSource });
  const parts = packed.map(({ source, passages }) => {
    const { id, title } = sources[source]!;
    return `[${id}] ${title}\n${passages.map(({ text }) => text).join('\n…\n')}`;
  });
  const used = packed.map(({ source }) => sources[source]!).sort((a, b) => a.id - b.id);
  return { text: parts.join('\n\n'), sources: used };
}
