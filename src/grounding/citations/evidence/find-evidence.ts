import {
  type StatementTerm,
  statementWords,
  type StatementWords,
  subjectOf,
} from './statement-terms.js';
import { cutAtWord } from '../../../text/cut-text.js';
import { findQuotation, quotationsIn } from './quotations.js';
import type { SourceText } from './source-text.js';
import { termsOf } from './terms.js';

/** Quotes are cut to this length. */
const maxQuote = 300;
/** The most sentences that are compared in full. */
const maxCandidates = 8;

/** Which share of a statement's words the source must have, by their weights. */
const minShare = 0.5;
/** The same without numbers, which could be equal by chance. */
const minShareOfWords = 0.4;
/** The same where a literal quotation is not there, or what the statement begins with. */
const minShareInDoubt = 0.75;
const minWordsOfQuotation = 5;
/** Where nouns are written with capitals, this share of them may be missing. */
const maxMissingNouns = 0.25;
/** What words beside the sentence count, and those of the title. */
const neighbourFit = 0.6;
const titleFit = 0.5;

/** How each term of a statement fits each sentence that has it. */
type Fits = readonly ReadonlyMap<number, number>[];

/**
 * Finds what a source says of a statement, in the source's words: the statement's quotation if it
 * is there, else the sentence that has its numbers, its names and about half of its other words. It
 * compares words: it knows no synonyms, no translations and no negation.
 * @returns '' if there is none
 */
export function* findEvidence(statement: string, source: SourceText): Generator<unknown, string> {
  const words = statementWords(statement);
  const fits: ReadonlyMap<number, number>[] = [];
  for (const term of words.terms) {
    fits.push(source.placesOf(term));
    yield;
  }
  const quotations = quotationsIn(statement);
  const isShort = (quotation: string): boolean =>
    quotation.split(/\s+/).length < minWordsOfQuotation;
  for (const quotation of quotations) {
    const isDoubtful = isShort(quotation) && lacksNames(words, fits, source);
    const quote = isDoubtful ? '' : yield* literalQuote(quotation, source);
    yield;
    // what stands beside the quotation counts too
    if (quote !== '' && hasNumbers(words, fits)) return quote;
  }
  const isDoubtful = quotations.some((quotation) => !isShort(quotation));
  return bestSentence(words, fits, source, isDoubtful ? minShareInDoubt : minShare);
}

/** Whether a source has all numbers of a statement somewhere. */
const hasNumbers = ({ terms }: StatementWords, fits: Fits): boolean =>
  terms.every(({ kind }, index) => kind !== 'number' || fits[index]!.size > 0);

/** A quotation as the source has it; '' if it does not have it. */
export function* literalQuote(quotation: string, source: SourceText): Generator<unknown, string> {
  const found = findQuotation(quotation, yield* source.comparable());
  return found ? cutAtWord(source.text.slice(found.start, found.end).trim(), maxQuote) : '';
}

function bestSentence(
  words: StatementWords,
  fits: Fits,
  source: SourceText,
  minimum: number,
): string {
  if (words.terms.length === 0) return '';
  if (lacksNames(words, fits, source)) return '';
  // without capitals, names cannot be told from other words: most statements begin with one
  const lacksFirst = words.terms[0]?.kind === 'ngram' && fits[0]!.size === 0;
  const least = lacksFirst ? minShareInDoubt : minimum;
  let best = { share: 0, sentence: '' };
  for (const index of candidates(words.terms, fits, source.size)) {
    const share = shareIn(index, words, fits, source);
    if (share < least || share <= best.share) continue;
    if (!isAboutOther(words, source.sentence(index), isNear(index, words, fits, source)))
      best = { share, sentence: source.sentence(index) };
  }
  return cutAtWord(best.sentence, maxQuote);
}

/** Whether the statement names what the source never does. */
function lacksNames(
  { terms, hasCapitalNouns }: StatementWords,
  fits: Fits,
  source: SourceText,
): boolean {
  let names = 0;
  let missing = 0;
  for (const [index, term] of terms.entries()) {
    if (!term.isName) continue;
    names++;
    if (fits[index]!.size === 0 && !source.hasInTitle(term)) missing++;
  }
  return hasCapitalNouns ? missing >= maxMissingNouns * names && missing > 0 : missing > 0;
}

/** The sentences that have most of the statement. */
function candidates(terms: readonly StatementTerm[], fits: Fits, size: number): number[] {
  const scores = new Float32Array(size);
  for (const [index, term] of terms.entries())
    for (const [sentence, fit] of fits[index]!) scores[sentence]! += fit * term.weight;
  const best: number[] = [];
  for (let sentence = 0; sentence < size; sentence++) {
    const score = scores[sentence]!;
    if (score === 0) continue;
    if (best.length === maxCandidates && score <= scores[best.at(-1)!]!) continue;
    const at = best.findIndex((other) => scores[other]! < score);
    best.splice(at === -1 ? best.length : at, 0, sentence);
    if (best.length > maxCandidates) best.pop();
  }
  return best;
}

/** The share of the statement that stands in a sentence or right beside it; 0 if that is too little. */
function shareIn(index: number, { terms }: StatementWords, fits: Fits, source: SourceText): number {
  let [all, found, words, foundWords, inSentence, numbers, numbersHere] = [0, 0, 0, 0, 0, 0, 0];
  for (const [place, term] of terms.entries()) {
    const own = fits[place]!.get(index) ?? 0;
    const beside = Math.max(fits[place]!.get(index - 1) ?? 0, fits[place]!.get(index + 1) ?? 0);
    const fit = Math.max(own, beside * neighbourFit, source.hasInTitle(term) ? titleFit : 0);
    all += term.weight;
    found += term.weight * fit;
    if (own > 0) inSentence += term.kind === 'ngram' ? 0.5 : 1;
    if (term.kind === 'number') {
      if (fit === 0) return 0;
      numbers++;
      if (own > 0) numbersHere++;
    } else {
      words += term.weight;
      foundWords += term.weight * fit;
    }
  }
  if (inSentence < 1.5 || numbersHere * 2 < numbers) return 0;
  if (words > 0 && foundWords / words < minShareOfWords) return 0;
  return found / all;
}

/** Whether all names of a statement stand in a sentence, right beside it or in the title. */
function isNear(index: number, { terms }: StatementWords, fits: Fits, source: SourceText): boolean {
  return terms.every((term, place) => {
    const fit = fits[place]!;
    const isBeside = fit.has(index) || fit.has(index - 1) || fit.has(index + 1);
    return !term.isName || isBeside || source.hasInTitle(term);
  });
}

/** Whether a sentence says of something else what the statement says of its subject. */
function isAboutOther(words: StatementWords, sentence: string, isNearby: boolean): boolean {
  const said = termsOf(sentence);
  const isShared = (key: string, keys: readonly { key: string }[]): boolean =>
    keys.some((each) => each.key === key || (key.length >= 5 && each.key.startsWith(key)));
  const { subject, terms, hasCapitalNouns } = words;
  const other = subject === null ? null : subjectOf(sentence, said);
  if (other !== null && !isShared(other, terms) && !isShared(subject!, said)) return true;
  if (isNearby || hasCapitalNouns) return false;
  // the statement names something further away, and the sentence something else
  return statementWords(sentence).terms.some(({ isName, key }) => isName && !isShared(key, terms));
}
