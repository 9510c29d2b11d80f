import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entriesOf, languageWords, type WordLists } from '../../src/text/words.js';

const languages = languageWords();
const sections = ['units', 'cues', 'keywords', 'courtesy', 'evidence'] as const;
/** All names of lists: those of English, and one that only German has. */
const listNames = (section: (typeof sections)[number]): readonly string[] => [
  ...Object.keys(languages[0]![section]),
  'common',
];
const listsOf = (words: WordLists): [string, readonly string[]][] =>
  Object.entries(words).map(([name, list]) => [name, entriesOf(list)]);

describe('the words of natural languages', () => {
  it('are read from every file of config/words, English first', () => {
    expect(languages).toHaveLength(readdirSync('config/words').length);
    expect(languages[0]?.language).toBe('English');
  });

  it.each(languages.map((one) => [one.language, one] as const))(
    'have the shape of all others in %s',
    (_, one) => {
      expect(Object.keys(one)).toEqual(Object.keys(languages[0]!));
      for (const section of sections)
        expect(listNames(section)).toEqual(expect.arrayContaining(Object.keys(one[section])));
    },
  );

  it.each(languages.map((one) => [one.language, one] as const))(
    'have no list with a word twice, an empty word or a capital in %s',
    (_, one) => {
      for (const section of sections)
        for (const [name, list] of listsOf(one[section])) {
          expect({ name, list: [...new Set(list)] }).toEqual({ name, list });
          expect(list.filter((word) => word.trim() !== word || word === '')).toEqual([]);
          expect(list.filter((word) => word.toLowerCase() !== word)).toEqual([]);
        }
    },
  );
});
