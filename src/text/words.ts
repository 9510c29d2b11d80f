import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../package-files.js';

/** What one file of `config/words` holds: words of one natural language, by what they indicate. */
export interface LanguageWords {
  /** The language's own name. */
  readonly language: string;
  /** Whether blanks divide its words; else phrases are looked for inside a text. */
  readonly wordsAreSpaced: boolean;
  /** How the language is written in tokens of current vocabularies. */
  readonly tokensPerWord: number;
  readonly charactersPerToken: number;
  /** Names of the units that a length is stated in, in all forms that requests use. */
  readonly units: WordLists;
  /** Words that tell what a request asks for, and how long its answer is wanted. */
  readonly cues: WordLists;
  /** Words that the predictor counts by group: the fitted weights depend on them. */
  readonly keywords: WordLists;
  /** Words of courtesy: a courteous sentence has one of `pleas`; `fillers` may stand beside it. */
  readonly courtesy: WordLists;
  /**
   * Words for reading the sentences of sources, without accents except in `abbreviations`, whose
   * full stop ends no sentence. `common` words in capitals show that a text capitalizes nouns.
   */
  readonly evidence: WordLists;
}

/** Lists by name: entries that `, ` separates, in lower case. */
export type WordLists = Readonly<Record<string, string>>;

const folder = packageFile('config/words');
let languages: readonly LanguageWords[] | undefined;

/** The entries of a list, in their order; none for a list that a language lacks. */
export const entriesOf = (list: string | undefined): readonly string[] => list?.split(', ') ?? [];

/**
 * The words of all languages, English first and the others by file name: of a word that two
 * languages use, the first counts. Reads `config/words/*.json` once. The files are part of this package, so a test checks their shape.
 * @throws Error if a file is missing or is not JSON
 */
export const languageWords = (): readonly LanguageWords[] =>
  (languages ??= readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort((a, b) => Number(b === 'en.json') - Number(a === 'en.json') || (a < b ? -1 : 1))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as LanguageWords));
