import { seeded } from '../../../src/chooser/training/custom/bootstrap.js';

/** Words by slot; `sentences` are what passages are made of. */
export type Slots = Readonly<Record<string, readonly string[]>>;

/** Passages of so many sentences. */
const passages: Readonly<Record<string, readonly [least: number, most: number]>> = {
  passage: [3, 12],
  long: [40, 300],
  book: [600, 2_500],
};
/** Longer passages repeat so many sentences, or few of them, as tests of long texts do. */
const mostDifferent = 200,
  repeatedSentences = 6;
/** Numbers of so many digits. */
const numbers: Readonly<Record<string, readonly [least: number, most: number]>> = {
  tiny: [1, 2],
  small: [2, 3],
  big: [4, 5],
  huge: [6, 10],
};

/**
 * Texts of a template: each slot has another word in each, passages and numbers are drawn. The same
 * template and seed give the same texts.
 */
export function filledTemplate(
  template: string,
  slots: Slots,
  { most, seed }: { most: number; seed: number },
): string[] {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.length === 0) return [template];
  const random = seeded(seed);
  const ways = names.reduce((product, name) => product * (slots[name]?.length ?? most), 1);
  const texts = Array.from({ length: Math.min(most, ways) }, (_, at) =>
    names.reduce(
      (text, name, place) =>
        text.replace(`{${name}}`, () => {
          const words = slots[name];
          return words
            ? words[(at * (place + 1) + place) % words.length]!
            : drawn(name, slots, random);
        }),
      template,
    ),
  );
  return [...new Set(texts)];
}

const between = ([least, most]: readonly [number, number], random: () => number): number =>
  least + Math.floor(random() * (most - least + 1));

function numberOf(name: string, random: () => number): string {
  const digits = between(numbers[name]!, random);
  const first = 1 + Math.floor(random() * 9);
  return Array.from({ length: digits - 1 }, () => Math.floor(random() * 10)).reduce<string>(
    (text, digit) => `${text}${digit}`,
    `${first}`,
  );
}

/** A number or a passage of the name of a slot that has no words. */
function drawn(name: string, slots: Slots, random: () => number): string {
  return name in numbers ? numberOf(name, random) : passageOf(name, slots, random);
}

function passageOf(name: string, slots: Slots, random: () => number): string {
  const range = passages[name],
    sentences = slots['sentences'];
  if (!range || !sentences) throw new Error(`a template has the slot ${name}, its file has not`);
  const start = Math.floor(random() * sentences.length);
  // steps of few sentences, so that none comes twice in a short passage
  const step = 1 + 2 * Math.floor(random() * 3);
  const length = between(range, random);
  const written = Array.from({ length: Math.min(length, mostDifferent) }, (_, at) =>
    sentence(sentences[(start + at * step) % sentences.length]!, slots, random),
  );
  const different = length > mostDifferent && random() < 0.5 ? repeatedSentences : written.length;
  return Array.from({ length }, (_, at) => written[at % different]!).join(' ');
}

/** A sentence with drawn words in its slots. */
function sentence(template: string, slots: Slots, random: () => number): string {
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const words = slots[name];
    return words ? words[Math.floor(random() * words.length)]! : numberOf(name, random);
  });
  return text.charAt(0).toUpperCase() + text.slice(1);
}
