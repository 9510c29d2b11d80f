import { entriesOf, languageWords } from '../../../text/words.js';
import { hashWord } from './grams.js';

/**
 * Groups of words that show what kind of answer is wanted: lists of `keywords` in `config/words`.
 * The fitted weights count on this order and on these words. Mostly English: other languages are
 * recognised by their n-grams.
 */
export const keywordGroups = [
  'which',
  'why',
  'how',
  'when',
  'quantity',
  'compose',
  'revise',
  'calculate',
  'theory',
  'code',
  'data',
  'choose',
  'science',
  'society',
  'format',
  'join',
  'person',
  'logic',
] as const;

/** Groups of words that only tell genres apart: the predictor was not fitted to them. */
export const markerGroups = ['program', 'letter'] as const;

const members = new Map<number, number>();

for (const [index, group] of [...keywordGroups, ...markerGroups].entries()) {
  for (const word of languageWords().flatMap(({ keywords }) => entriesOf(keywords[group]))) {
    const hash = hashWord(word);
    members.set(hash, (members.get(hash) ?? 0) | (1 << index));
  }
}

/** A word's groups, as bits: `keywordGroups`, then `markerGroups`; 0 for almost every word. */
export const groupsOf = (hash: number): number => members.get(hash) ?? 0;
