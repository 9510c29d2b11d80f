import { estimateTokens } from '../../../models/tokens.js';
import { type RankedText, type ScoredPassage, scorePassages } from './score-passages.js';

/** What fits into a model's context. */
export interface PackingLimits {
  /** Estimated tokens of all passages together, with what stands around them. */
  readonly maxTokens: number;
  /** What the caller writes for each text that has passages, such as its title and address. */
  readonly tokensPerText?: number;
  /**
   * Passages that score less than this share of the best one are left out, also where there is
   * room. Default 0.1; 0: the room is filled.
   */
  readonly minShare?: number;
}

/** What was chosen of one text. */
export interface PackedText {
  /** Which of the texts it is. */
  readonly source: number;
  /** In the order of the text; those that follow each other are one. */
  readonly passages: readonly string[];
}

const defaultMinShare = 0.1;
/** For the sign between two passages. */
const tokensBetween = 3;
/** How fast further passages of one text lose: the twenty-fifth counts half. */
const halvedAfter = 24;
/** The most passages in a row that do not fit before the search ends. */
const maxMisfits = 64;
/** Shorter passages may be equal by chance, such as headings. */
const minComparedLength = 40;

interface Choice extends ScoredPassage {
  /** Its score, less what its text has already. */
  readonly gain: number;
}

/**
 * Chooses the passages of several texts that fit a question best and a budget of tokens: by BM25,
 * the best first, with a preference for texts that have none yet. Passages that repeat another one
 * are left out.
 * @returns the texts of which there are passages, the best first; never more tokens than allowed,
 * which may be none. Yields now and then
 */
export function* packPassages(
  question: string,
  texts: readonly RankedText[],
  { maxTokens, tokensPerText = 0, minShare = defaultMinShare }: PackingLimits,
): Generator<unknown, PackedText[]> {
  const choices = inOrderOfGain(yield* scorePassages(question, texts));
  const least = minShare * (choices[0]?.gain ?? 0);
  const chosen = new Map<number, Choice[]>();
  const seen = new Set<string>();
  let left = maxTokens;
  let misfits = 0;
  for (const choice of choices) {
    if (misfits >= maxMisfits) break;
    const { source, start, end, score } = choice;
    yield;
    if (score < least) continue;
    const text = texts[source]!.text.slice(start, end).trim();
    const key = comparable(text);
    if (text === '' || seen.has(key)) continue;
    const earlier = chosen.get(source);
    const cost = estimateTokens(text) + tokensBetween + (earlier ? 0 : tokensPerText);
    if (cost > left) {
      misfits++;
      continue;
    }
    misfits = 0;
    left -= cost;
    if (text.length >= minComparedLength) seen.add(key);
    if (earlier) earlier.push(choice);
    else chosen.set(source, [choice]);
  }
  return [...chosen].map(([source, parts]) => packed(source, parts, texts[source]!.text));
}

/** Each text's passages lose with their number; where none does, the better one is first. */
function inOrderOfGain(passages: readonly ScoredPassage[]): Choice[] {
  const bySource = new Map<number, ScoredPassage[]>();
  for (const passage of passages) {
    const others = bySource.get(passage.source);
    if (others) others.push(passage);
    else bySource.set(passage.source, [passage]);
  }
  return [...bySource.values()]
    .flatMap((parts) =>
      parts
        .sort((a, b) => b.score - a.score)
        .map((part, index) => ({ ...part, gain: part.score / (1 + index / halvedAfter) })),
    )
    .sort((a, b) => b.gain - a.gain);
}

const comparable = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ');

function packed(source: number, parts: readonly Choice[], text: string): PackedText {
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
    const last = spans.at(-1);
    if (last?.end === start) last.end = end;
    else spans.push({ start, end });
  }
  return { source, passages: spans.map(({ start, end }) => text.slice(start, end).trim()) };
}
