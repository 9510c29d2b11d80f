import { QuestionTerms } from './question-terms.js';
import { type Span, splitText } from './split-text.js';

/** A text from which an answer may come: a page that was read, or what a search tells of one. */
export interface RankedText {
  readonly title: string;
  readonly text: string;
}

/** A part of a text, and how well it fits the question. */
export interface ScoredPassage extends Span {
  /** Which of the texts it is from. */
  readonly source: number;
  /** 0 or more; comparable only with those of the same question and texts. */
  readonly score: number;
}

// BM25's usual values, but for the length, by which passages of one size differ little
const saturation = 1.2;
const lengthShare = 0.4;
/** What a text's title adds to each of its passages that fits, as a share of its own weight. */
const titleShare = 0.4;
/** What the better neighbour of a passage adds: answers often follow the words of the question. */
const neighbourShare = 0.25;
/** What the order of the texts and the beginning of each add, as a share of the best score. */
const orderShare = 0.02;

interface Counted extends Span {
  readonly source: number;
  readonly counts: Uint8Array;
  /** In words. */
  readonly length: number;
}

/**
 * Splits texts into passages and scores each by BM25 against the question, among all passages of
 * all texts, so that words that are everywhere count nothing. A passage gains by the title of its
 * text and by its neighbours; where nothing tells them apart, earlier texts and passages come first.
 * Takes time in proportion to the length of the texts.
 * @returns in the order of the texts
 */
export function* scorePassages(
  question: string,
  texts: readonly RankedText[],
): Generator<unknown, ScoredPassage[]> {
  const terms = new QuestionTerms(question);
  const passages: Counted[] = [];
  for (const [source, { text }] of texts.entries())
    for (const { start, end } of splitText(text)) {
      const counts = new Uint8Array(terms.size);
      const length = terms.countIn(text, start, end, counts);
      passages.push({ start, end, source, counts, length });
      yield;
    }
  const importance = yield* importanceOf(terms, passages);
  const scores = yield* bm25(passages, importance);
  const titles = texts.map(({ title }) => titleScore(terms, title, importance));
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  const order = orderShare * (best || 1);
  const firstOf = firstPassages(passages, texts.length);
  return passages.map(({ start, end, source }, index) => {
    const beside = (at: number): number => (passages[at]?.source === source ? scores[at]! : 0);
    const neighbour = Math.max(beside(index - 1), beside(index + 1));
    const own = scores[index]! + neighbourShare * neighbour;
    const title = titleShare * titles[source]! * (own > 0 ? 1 : titleShare);
    const place = 1 / (1 + source) + 1 / (1 + index - firstOf[source]!);
    return { start, end, source, score: own + title + (order * place) / 2 };
  });
}

/** How much each term tells: little if it is in most passages. */
function* importanceOf(
  terms: QuestionTerms,
  passages: readonly Counted[],
): Generator<unknown, number[]> {
  const importance: number[] = [];
  for (const [term, weight] of terms.weights.entries()) {
    const having = passages.reduce((sum, { counts }) => sum + (counts[term]! > 0 ? 1 : 0), 0);
    importance.push(weight * Math.log(1 + (passages.length - having + 0.5) / (having + 0.5)));
    yield;
  }
  return importance;
}

function* bm25(
  passages: readonly Counted[],
  importance: readonly number[],
): Generator<unknown, number[]> {
  const words = passages.reduce((sum, { length }) => sum + length, 0);
  const usual = words / passages.length || 1;
  const scores: number[] = [];
  for (const { counts, length } of passages) {
    const damping = saturation * (1 - lengthShare + (lengthShare * length) / usual);
    let score = 0;
    for (let term = 0; term < counts.length; term++) {
      const count = counts[term]!;
      if (count > 0) score += (importance[term]! * count * (saturation + 1)) / (count + damping);
    }
    scores.push(score);
    yield;
  }
  return scores;
}

function titleScore(terms: QuestionTerms, title: string, importance: readonly number[]): number {
  const counts = new Uint8Array(terms.size);
  terms.countIn(title, 0, title.length, counts);
  return importance.reduce((sum, weight, term) => sum + (counts[term]! > 0 ? weight : 0), 0);
}

function firstPassages(passages: readonly Counted[], sources: number): number[] {
  const firsts = Array<number>(sources).fill(0);
  for (let index = passages.length - 1; index >= 0; index--)
    firsts[passages[index]!.source] = index;
  return firsts;
}
