/** The kinds of characters that the text scanner distinguishes. */
export const space = 0,
  newline = 1,
  letter = 2,
  capital = 3,
  digit = 4,
  stop = 5,
  question = 6,
  bracket = 7,
  operator = 8,
  quote = 9,
  mark = 10,
  ideograph = 11;

function kindOfAscii(code: number): number {
  const character = String.fromCharCode(code);
  if (character === '\n') return newline;
  if (code <= 32 || code === 127) return space;
  if (/[a-z_]/.test(character)) return letter;
  if (/[A-Z]/.test(character)) return capital;
  if (/[0-9]/.test(character)) return digit;
  if (/[.!]/.test(character)) return stop;
  if (character === '?') return question;
  if (/[{}[\]()]/.test(character)) return bracket;
  if (/[=+*/^<>|&%~-]/.test(character)) return operator;
  return /["'`]/.test(character) ? quote : mark;
}

const ascii = Uint8Array.from({ length: 128 }, (_, code) => kindOfAscii(code));

/** The kind of a character outside ASCII, by ranges: accurate enough for counting. */
function kindOfWide(code: number): number {
  if (code < 0xc0) return code === 0xa0 ? space : mark;
  if (code === 0xd7 || code === 0xf7) return operator;
  if (code < 0x2000) return isWideCapital(code) ? capital : letter;
  if (code < 0x2070)
    return code === 0x2028 || code === 0x2029
      ? newline
      : code <= 0x200a
        ? space
        : code >= 0x2018 && code <= 0x201f
          ? quote
          : mark;
  if (code >= 0x2190 && code < 0x2300) return operator;
  if (code < 0x2e80) return mark;
  if (code < 0x3040) return code === 0x3000 ? space : code === 0x3002 ? stop : mark;
  if (code < 0xac00) return ideograph;
  if (code < 0xd800) return letter;
  if (code >= 0xf900 && code < 0xfb00) return ideograph;
  if (code === 0xff1f) return question;
  if (code === 0xff01 || code === 0xff0e) return stop;
  return code >= 0xff66 && code < 0xffa0 ? letter : mark;
}

/** Whether a character is a capital letter of the Latin-1, Greek or Cyrillic blocks. */
const isWideCapital = (code: number): boolean =>
  (code >= 0xc0 && code <= 0xde) ||
  (code >= 0x391 && code <= 0x3a9) ||
  (code >= 0x400 && code <= 0x42f);

/** The kind of one UTF-16 unit. */
export const kindOf = (code: number): number => (code < 128 ? ascii[code]! : kindOfWide(code));

/** The lower-case letter of a capital as `kindOf` classifies them. */
export function lowered(code: number): number {
  if (code < 0x370 || code >= 0x410) return code + 32;
  return code < 0x400 ? code + 32 : code + 80;
}

/**
 * The script of a letter outside ASCII: 0 Latin or Greek, 1 Cyrillic, 2 Hebrew or Arabic, 3 Indic
 * or south-east Asian, 4 Hangul, Kana or Han.
 */
export function scriptOf(code: number): number {
  if (code < 0x400) return 0;
  if (code < 0x590) return 1;
  if (code < 0x900) return 2;
  return code < 0x1e00 && !(code >= 0x1100 && code < 0x1200) ? 3 : code < 0x2000 ? 0 : 4;
}
