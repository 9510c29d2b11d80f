import { entriesOf, languageWords } from '../../../text/words.js';

/** A list of `evidence` in `config/words`, of all languages together. */
const all = (name: string): ReadonlySet<string> =>
  new Set(languageWords().flatMap(({ evidence }) => entriesOf(evidence[name])));

/** Words that are in every text, without accents. */
export const stopWords = all('stopWords');

/** Words that say of the one before it what it is or does: that is the subject then. */
export const predicates = all('predicates');

/** Capitalised, and no names of something else. */
export const calendarWords = all('calendar');

/** Two of them tell that a text writes all nouns with capitals. */
export const germanWords = all('common');
