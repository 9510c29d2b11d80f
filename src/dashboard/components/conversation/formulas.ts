const closers: Readonly<Record<string, string>> = { $: '$', $$: '$$', '\\(': '\\)', '\\[': '\\]' };

/** Code fences, blank lines, escapes, addresses, and what may begin or end a formula. */
const tokens =
  /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$|\n[ \t\r]*\n|`+|\\[^]|\$+|!\[[^[\]\n]*\]|\]\((?:[^()\s]|\([^()\s]*\))*\)|https?:\/\/[^\s<>)]*/gm;

/** Further formulas stay text: nobody writes so many, and each takes the browser some time. */
const maxFormulas = 1_000;

/**
 * Takes formulas out of Markdown, which would spoil them: marks with their numbers stand for them.
 * `$` begins and ends one where pandoc sees it, so that prices stay text. No formula crosses a blank
 * line or touches code; those within code spans are put back later.
 */
export function takeFormulas(text: string): { text: string; formulas: string[] } {
  const formulas: string[] = [];
  let [before, fence, opener, start, end] = ['', '', '', 0, 0];
  for (const { 0: token, 1: run, 2: rest = '', index } of text.matchAll(tokens)) {
    if (formulas.length === maxFormulas) break;
    const after = index + token.length;
    if (run !== undefined) {
      if (fence === '') fence = run.startsWith('`') && rest.includes('`') ? '' : run;
      else if (run.startsWith(fence) && rest.trim() === '') fence = '';
      opener = '';
    } else if (fence !== '') continue;
    else if (token === closers[opener] && isWhole(text.slice(start, after), text[after])) {
      before += `${text.slice(end, start)}\uE000${formulas.length}\uE001`;
      formulas.push(text.slice(start, after));
      [opener, end] = ['', after];
    } else if (['', '$', token].includes(opener) && token in closers) {
      opener = token !== '$' || /\S/.test(text[after] ?? ' ') ? token : '';
      start = index;
    } else if (/^[\n`]/.test(token)) opener = '';
  }
  return { text: before + text.slice(end), formulas };
}

/** Whether the mark at the end of a formula closes it, with what follows it. */
function isWhole(formula: string, next = ''): boolean {
  const inner = innerOf(formula);
  // $HOME/$USER is no formula
  const isCut = /[A-Za-z"]/.test(next) && /[-/:;,"(=+&<>]$/.test(inner);
  if (/^\$[^$]/.test(formula)) return !/\s$/.test(inner) && !/\d/.test(next) && !isCut;
  // one that ends in mid-line after a space began elsewhere, as in a list of prices from $ to $$$
  const isLoose = formula.endsWith('$') && inner.includes('\n') && /[^\s>][ \t]+$/.test(inner);
  return inner.trim() !== '' && !isLoose;
}

const innerOf = (formula: string): string =>
  /^\$[^$]/.test(formula) ? formula.slice(1, -1) : formula.slice(2, -2);

/** A text in pieces: each second one is the number of a formula. */
export const cutAtFormulas = (text: string): string[] => text.split(/\uE000(\d+)\uE001/);

/** A text with its formulas as they were written. */
export const withFormulas = (text: string, formulas: readonly string[]): string =>
  text.replace(/\uE000(\d+)\uE001/g, (mark, number: string) => formulas[Number(number)] ?? mark);

/** A formula without its marks, and in a quote without those of its lines. */
export function texOf(formula: string): string {
  const inner = innerOf(formula);
  return /\n(?![ \t]*>)/.test(inner) ? inner : inner.replace(/\n[ \t]*>/g, '\n');
}

/** Alphabets that Chromium has as characters alone: where each begins, and letters from elsewhere. */
const alphabets: Readonly<Record<string, readonly [start: number, others: string]>> = {
  'double-struck': [0x1d538, 'ℂℍℕℙℚℝℤ'],
  script: [0x1d49c, 'ℬℰℱℋℐℒℳℛℯℊℴ'],
  fraktur: [0x1d504, 'ℭℌℑℜℨ'],
};

/** Letters as characters of an alphabet, such as ℝ for R. */
export function inAlphabet(text: string, name: string): string {
  const [start = 0, others = ''] = alphabets[name] ?? [];
  if (start === 0) return text;
  return text.replace(/[A-Za-z]/g, (letter) => {
    const at = start + letter.charCodeAt(0) - (letter < 'a' ? 65 : 71);
    const other = Array.from(others).find((one) => one.normalize('NFKC') === letter);
    return other ?? String.fromCodePoint(at);
  });
}
