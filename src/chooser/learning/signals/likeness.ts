import { hash } from 'node:crypto';
import { hashWord } from '../../predictor/features/grams.js';

/** What is remembered of a prompt: no text can be read from it. */
export interface PromptPrint {
  /** Of the whole prompt without its spelling's whims. */
  readonly digest: string;
  /** The smallest hashes of its words, in order. */
  readonly words: Uint32Array;
}

const maxLength = 8_192;
const maxWords = 64;
/** The share of common words from which on two prompts are nearly the same. */
const minShare = 0.8;
/** Of fewer words, only the same prompt is alike. */
const minWords = 4;

/** The print of a prompt. It is salted with the caller, so that prints of callers do not compare. */
export function printOf(text: string, salt: string): PromptPrint {
  const words =
    text
      .slice(0, maxLength)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const hashes = [...new Set(words.map((word) => hashOf(word)))].sort((a, b) => a - b);
  return {
    digest: hash(
      'sha256',
      `${salt}\0${text.length > maxLength ? text.length : 0}\0${words.join(' ')}`,
    ),
    words: Uint32Array.from(hashes.slice(0, maxWords)),
  };
}

function hashOf(word: string): number {
  let value = hashWord(word);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** Whether two prompts are the same or nearly so, as far as their prints show. */
export function areAlike(one: PromptPrint, other: PromptPrint): boolean {
  if (one.digest === other.digest) return true;
  if (Math.min(one.words.length, other.words.length) < minWords) return false;
  // the smallest hashes of both together are a sample of all their words
  const both = new Set(one.words),
    known = new Set(other.words);
  const sample = [...new Set([...both, ...known])].sort((a, b) => a - b).slice(0, maxWords);
  const common = sample.filter((word) => both.has(word) && known.has(word)).length;
  return common >= minShare * sample.length;
}
