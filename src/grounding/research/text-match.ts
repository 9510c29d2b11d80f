/** Text as it is compared: without differences of case, spaces, dashes and quotation marks. */
const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[\p{Pi}\p{Pf}"'`´]/gu, "'")
    .replace(/[\s\p{Cf}]+/gu, ' ')
    .trim();

/** A shorter quotation says nothing. */
const minQuoteLength = 4;

/** Looks for quotations in a text; ends that are left out, as by `…`, do not count. */
export function quoteFinder(text: string): (quote: string) => boolean {
  const compared = comparable(text);
  return (quote) => {
    const wanted = comparable(quote).replace(/^['.… ]+|['.… ]+$/g, '');
    return wanted.length >= minQuoteLength && compared.includes(wanted);
  };
}

/** The numbers in a text, without separators: `1,234.5` and `1.234,5` are the same. */
export const digitsOf = (text: string): string[] =>
  (text.normalize('NFKC').match(/\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+){0,9}/gu) ?? []).map(
    (number) => number.replace(/\P{Nd}/gu, ''),
  );
