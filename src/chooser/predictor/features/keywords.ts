import { hashWord } from './grams.js';

/**
 * Words that show what kind of answer is wanted, by group. Mostly English: other languages are
 * recognised by their n-grams.
 */
const groups = {
  which: 'what which who whom whose qué cuál quel quelle welche welcher was wer какой что кто',
  why: 'why explain reason because describe warum pourquoi porqué почему',
  how: 'how wie comment cómo как',
  when: 'when where year date time today tomorrow yesterday wann quand',
  quantity:
    'many much number total sum count amount often average percent cuántos combien wieviele сколько',
  compose:
    'write compose create draft generate story poem essay letter email article blog schreibe escribe écris напиши',
  revise:
    'rewrite edit summarize summarise translate paraphrase correct proofread classify extract shorten übersetze traduce traduis',
  calculate:
    'calculate compute find solve determine evaluate simplify value answer solution berechne calcula calcule',
  theory:
    'prove proof show theorem integer integers polynomial triangle probability equation function positive real modulo prime matrix derivative integral',
  code: 'python java javascript typescript sql code program algorithm class array string return implement function def void import const regex bug',
  data: 'list dict json table csv column row key value type int float boolean object',
  choose: 'following correct true false best most except not statement option choose select',
  science:
    'energy mass velocity cell acid force temperature molecule gene reaction voltage pressure species atom electron protein',
  society:
    'law court state government economic market war social president company price policy tax contract',
  format: 'json format step output exactly only field markdown xml bullet sentences words',
  join: 'and or also then both respectively each every',
  person: 'i my me you your please can could would we our',
  logic: 'if all some than left right before after always never must unless either neither',
} as const;

/** The names of the groups, in a fixed order. */
export const keywordGroups = Object.keys(groups) as readonly (keyof typeof groups)[];

/** Words that only tell genres apart: the predictor was not fitted to them. */
const markers = {
  program:
    'rust golang kotlin swift php ruby scala haskell perl matlab html css react vue angular django flask node npm docker kubernetes git linux bash shell script scripts api endpoint endpoints backend frontend function functions method methods variable loop recursion recursive compile compiler debug debugger refactor segfault stacktrace exception unittest pytest unit tests linked quicksort mergesort palindrome hashmap sort cache query database schema select insert join async await struct pointer null regexp cli http websocket funktion programm skript código programa función codice funzione',
  letter:
    'mail mails emails dear sincerely regards greetings note reply respond invitation apologise apologize thank thanks politely polite colleague landlord boss resume cover post tweet newsletter speech toast lyrics brief nachricht antworte kündigung carta correo lettre courriel письмо',
} as const;

/** The names of those groups, in a fixed order, counted behind the keyword groups. */
export const markerGroups = Object.keys(markers) as readonly (keyof typeof markers)[];

const slots = 1 << 11;
const hashes = new Int32Array(slots);
const members = new Int32Array(slots);

function slotOf(hash: number): number {
  let slot = (hash >>> 5) & (slots - 1);
  while (members[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & (slots - 1);
  return slot;
}

for (const [index, words] of [...Object.values(groups), ...Object.values(markers)].entries()) {
  for (const word of words.split(' ')) {
    const hash = hashWord(word);
    const slot = slotOf(hash);
    hashes[slot] = hash;
    members[slot]! |= 1 << index;
  }
}

/**
 * The groups of a word, as bits by their place in `keywordGroups` followed by `markerGroups`; 0 for
 * almost every word.
 */
export function groupsOf(hash: number): number {
  return members[slotOf(hash)]!;
}
