import { hashWord } from '../predictor/features/grams.js';
import { bitOf, roleWords, sizeBitOf, sizes } from './cues.js';
import { multipliers, numberWords } from './number-words.js';
import { languages, type Unit, units } from './units.js';

const slots = 1 << 13;
const hashes = new Int32Array(slots);
const rolesBySlot = new Int32Array(slots),
  valuesBySlot = new Int32Array(slots),
  /** One more than a place in `units`, and 16 times a place in `languages`. */
  unitsBySlot = new Int32Array(slots);
const sizesBySlot = new Uint8Array(slots);
const taken = new Uint8Array(slots);

/** The slot of a word's hash; -1 for almost every word. */
export function slotOf(hash: number): number {
  let slot = (hash ^ (hash >>> 15)) & (slots - 1);
  while (taken[slot] === 1) {
    if (hashes[slot] === hash) return slot;
    slot = (slot + 1) & (slots - 1);
  }
  return -1;
}

function add(word: string): number {
  const hash = hashWord(word);
  let slot = (hash ^ (hash >>> 15)) & (slots - 1);
  while (taken[slot] === 1 && hashes[slot] !== hash) slot = (slot + 1) & (slots - 1);
  taken[slot] = 1;
  hashes[slot] = hash;
  return slot;
}

for (const [role, words] of roleWords)
  for (const word of words) rolesBySlot[add(word)]! |= bitOf[role];
for (const name of Object.keys(sizes) as (keyof typeof sizes)[])
  for (const word of sizes[name].split(' ')) sizesBySlot[add(word)]! |= sizeBitOf[name];
for (const [value, word] of numberWords) valuesBySlot[add(word)] = value;
for (const [scale, word] of multipliers) valuesBySlot[add(word)] = -scale;
languages.forEach(({ names }, language) => {
  for (const [unit, words] of Object.entries(names))
    for (const word of words.split(' '))
      unitsBySlot[add(word)] ||= 1 + units.indexOf(unit as Unit) + 16 * language;
});

/** The roles of the word in a slot, as bits by `bitOf`. */
export const rolesAt = (slot: number): number => rolesBySlot[slot]!;
/**
 * The number that the word in a slot stands for; 0: none. Negative: it only multiplies the number
 * before it.
 */
export const valueAt = (slot: number): number => valuesBySlot[slot]!;
/** The unit that the word in a slot names: `unit + 16 * language + 1` by places; 0: none. */
export const unitAt = (slot: number): number => unitsBySlot[slot]!;
/** What the word in a slot tells of the size of a deliverable, as bits by `sizeBitOf`. */
export const sizesAt = (slot: number): number => sizesBySlot[slot]!;
