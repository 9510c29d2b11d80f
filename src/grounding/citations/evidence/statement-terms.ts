import { entriesOf, languageWords } from '../../../text/words.js';
import { stemOf, termsOf, type TextTerm } from './terms.js';

/** A list of `evidence` in `config/words`, of all languages together. */
const wordsNamed = (name: string): ReadonlySet<string> =>
  new Set(languageWords().flatMap(({ evidence }) => entriesOf(evidence[name])));

/** Words that are in every text, without accents. */
const stopWords = wordsNamed('stopWords');

/** Words that say of the one before it what it is or does: that is the subject then. */
const predicates = wordsNamed('predicates');

/** Capitalised, and no names of something else. */
const calendarWords = wordsNamed('calendar');

/** Two of them tell that a text writes all nouns with capitals. */
const germanWords = wordsNamed('common');

/** What a statement says, as far as it can be looked up. */
export interface StatementTerm extends Pick<TextTerm, 'kind' | 'key' | 'values' | 'step'> {
  /** '' if it has none. */
  readonly stem: string;
  /** How much it tells. */
  readonly weight: number;
  readonly isName: boolean;
}

/** A statement as it is compared with a source. */
export interface StatementWords {
  readonly terms: readonly StatementTerm[];
  /** Whether nouns that are no names are written with capitals. */
  readonly hasCapitalNouns: boolean;
  /** What the statement is about, by its key; null if that cannot be told. */
  readonly subject: string | null;
}

const maxTerms = 96;
const weights = { number: 3, name: 2, word: 1, ngram: 0.5, particle: 0.15 };

const isCapital = (word: string): boolean => /^\p{Lu}/u.test(word);
const isStop = ({ key }: TextTerm): boolean => stopWords.has(key);

/** Finds what can be looked up of a statement: numbers and names tell most. */
export function statementWords(statement: string): StatementWords {
  const all = termsOf(statement);
  const words = all.filter(({ kind }) => kind === 'word');
  const german = words.filter(({ key, written }) => !isCapital(written) && germanWords.has(key));
  const capitals = words.filter(({ written }) => isCapital(written));
  const isTitle = words.length >= 4 && capitals.length > 0.6 * words.length;
  const subject = subjectOf(statement, all);
  const seen = new Set<string>();
  const terms: StatementTerm[] = [];
  for (const [index, term] of all.entries()) {
    if (seen.has(term.key) || isLight(term)) continue;
    seen.add(term.key);
    const isInitial =
      index === 0 || /[.!?:„“"(]\s*$/.test(statement.slice(0, term.start).slice(-4));
    const isName =
      term.kind === 'word' &&
      isCapital(term.written) &&
      !calendarWords.has(term.key) &&
      (!isInitial || term.key === subject);
    terms.push({ ...term, stem: stemOf(term.key), isName, weight: weightOf(term, isName) });
  }
  return {
    terms: terms.slice(0, maxTerms),
    hasCapitalNouns: german.length >= 2 || isTitle,
    subject,
  };
}

/** The first word of a text, if it is a name and the next one says something of it. */
export function subjectOf(text: string, terms: readonly TextTerm[]): string | null {
  const [first, second] = terms;
  if (first?.kind !== 'word' || !isCapital(first.written) || isStop(first)) return null;
  if (second?.kind !== 'word') return null;
  const between = text.slice(first.start + first.written.length, second.start);
  const isSubject =
    // `researchers have finished` says nothing of a name
    (predicates.has(second.key) && !/^(?:have|are|were)$/.test(second.key)) ||
    (/[a-z]ed$/.test(second.written) && !/s$/.test(first.key)) ||
    /^\s+[—–]\s/.test(between) ||
    (isCapital(second.written) && !isStop(second));
  return isSubject ? first.key : null;
}

function isLight(term: TextTerm): boolean {
  if (term.kind !== 'word') return false;
  return isStop(term) || (term.key.length <= 2 && !/^\p{Lu}{2}$/u.test(term.written));
}

function weightOf({ kind, key }: TextTerm, isName: boolean): number {
  if (kind === 'word') return isName ? weights.name : weights.word;
  return kind === 'ngram' && /^\p{Script=Hiragana}+$/u.test(key) ? weights.particle : weights[kind];
}
