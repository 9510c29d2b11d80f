const digits = '一二三四五六七八九';
const scales: Readonly<Record<string, number>> = {
  十: 10,
  百: 100,
  千: 1000,
  万: 10_000,
  萬: 10_000,
  십: 10,
  백: 100,
  천: 1000,
  만: 10_000,
};
const myriad = 10_000;
const maxSigns = 8;

/** A number in words, and where it ends. */
interface WideNumber {
  /** 0: there is none. */
  readonly value: number;
  readonly end: number;
}

/** Whether a sign is a numeral of Chinese or Japanese. */
export const isWideNumber = (sign: string): boolean =>
  digits.includes(sign) || sign in scales || sign === '两' || sign === '兩';

function numberIn(text: string, from: number, to: number, digitOf: (sign: string) => number) {
  let value = 0,
    last = 0,
    at = from;
  for (; at < to; at++) {
    const scale = scales[text[at]!];
    const one = scale === undefined ? digitOf(text[at]!) : 0;
    if (scale === undefined && one === 0) break;
    if (scale === myriad) value = (value + last || 1) * scale;
    else if (scale !== undefined) value += (last || 1) * scale;
    last = one;
  }
  return { value: value + last, end: at };
}

const ideographDigit = (sign: string): number =>
  sign === '两' || sign === '兩' ? 2 : digits.indexOf(sign) + 1;

/** The number that begins at an ideograph: `两千五百`. */
export function wideNumber(text: string, from: number): WideNumber {
  return numberIn(text, from, Math.min(text.length, from + maxSigns), ideographDigit);
}

const counted: Readonly<Record<string, number>> = { 한: 1, 두: 2, 세: 3, 네: 4 };
const koreanDigits = '일이삼사오육칠팔구';
const koreanDigit = (sign: string): number => koreanDigits.indexOf(sign) + 1;

/**
 * The number that a Korean word is, or begins with: `세`, `이천`, `오백자`. Single numerals also begin
 * other words (`십자가`), so that they count as a word of their own only.
 * @param to where the word ends
 */
export function koreanNumber(text: string, from: number, to: number): WideNumber {
  const one = to - from === 1 ? counted[text[from]!] : undefined;
  if (one !== undefined) return { value: one, end: to };
  const found = numberIn(text, from, Math.min(to, from + maxSigns), koreanDigit);
  const isNumber = found.value >= 10 && (found.end === to || found.end - from >= 2);
  return isNumber ? found : { value: 0, end: to };
}

/** What a sign behind digits multiplies them by: `2千`, `1.5万`, `2k字`; 1: nothing. */
export function wideScaleAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === 107 || code === 75) return text.charCodeAt(at + 1) >= 0x2e80 ? 1000 : 1;
  return code >= 0x2e80 ? (scales[text[at]!] ?? 1) : 1;
}
