/** Words that can replace each other without changing what a prompt asks. */
const synonyms: Readonly<Record<string, string>> = {
  find: 'determine',
  determine: 'find',
  calculate: 'compute',
  compute: 'calculate',
  which: 'what',
  following: 'below',
  write: 'create',
  create: 'write',
  big: 'large',
  large: 'big',
  show: 'display',
  answer: 'reply',
  choose: 'pick',
  select: 'choose',
  begin: 'start',
  start: 'begin',
  many: 'numerous',
  quickly: 'fast',
  also: 'too',
  about: 'regarding',
  correct: 'right',
  help: 'assist',
  list: 'enumerate',
  explain: 'describe',
  describe: 'explain',
  give: 'provide',
  get: 'obtain',
  buy: 'purchase',
  near: 'close to',
  however: 'but',
  only: 'just',
  needs: 'requires',
  need: 'require',
  total: 'overall',
  whole: 'entire',
  entire: 'whole',
};

/** Matches lines whose meaning depends on every character: code, formulas, tables. */
const exact = /[{}[\]=;_\\$<>`|]|\w\(|^(?: {2,}|\t)/;

/** Changes only the lines that are prose. */
const inProse =
  (change: (line: string) => string) =>
  (text: string): string =>
    text
      .split('\n')
      .map((line) => (exact.test(line) ? line : change(line)))
      .join('\n');

function replaceWords(text: string): string {
  return text.replace(/[A-Za-z]+/g, (word) => {
    const other = Object.hasOwn(synonyms, word.toLowerCase())
      ? synonyms[word.toLowerCase()]!
      : null;
    if (other === null || (word !== word.toLowerCase() && word !== capitalised(word.toLowerCase())))
      return word;
    return word === word.toLowerCase() ? other : capitalised(other);
  });
}

const capitalised = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const optionLine = /^(\s*\(?[A-J][).:]\s*)(.*\S.*)$/;

/** Reverses the options of a multiple choice; the letters stay in order. */
function withOptionsReversed(text: string): string {
  const lines = text.split('\n');
  const places = [...lines.keys()].filter((at) => optionLine.test(lines[at]!));
  if (places.length < 2) return text;
  const bodies = places.map((at) => optionLine.exec(lines[at]!)![2]!).reverse();
  places.forEach((at, option) => (lines[at] = optionLine.exec(lines[at]!)![1]! + bodies[option]!));
  return lines.join('\n');
}

const polite = (text: string): string =>
  `Hello! Could you please help me with this?\n\n${text}\n\nThank you very much.`;

const withSynonyms = inProse(replaceWords);
const withoutPunctuation = inProse((line) =>
  line
    .replace(/[?.!:]+\s*$/, '')
    .replace(/, (?=[a-z])/g, ' ')
    .replace(/[“”]/g, '"'),
);

/** Paraphrases by name. Mechanical: the same text always gives the same result. */
export const paraphrases: Readonly<Record<string, (text: string) => string>> = {
  case: inProse((line) => line.toLowerCase()),
  punctuation: withoutPunctuation,
  'polite frame': polite,
  synonyms: withSynonyms,
  'reversed options': withOptionsReversed,
  'all but case': (text) => polite(withSynonyms(withOptionsReversed(withoutPunctuation(text)))),
};

/** How paraphrases are made, for the report. */
export const paraphraseNote =
  'Paraphrases are made mechanically: in lower case; without closing punctuation and commas; with "Hello! Could you please help me with this?" before and thanks behind; ' +
  'with words replaced from a table of synonyms; with the options of a multiple choice reversed; and all of these but lower case at once. Lines of code and formulas do not change. A paraphrase is counted only for the prompts that it changes.';
