import { type ChatMessage, isInstruction } from '../../completion.js';
import { contentText } from '../../text/content-text.js';
import { type Cue, cueBit, phraseCues, readWords, type RequestWord } from './request-words.js';
import { type StatedLength, statedLength } from './stated-length.js';

/** What the last turn of a conversation asks for, as far as it tells the length of the answer. */
export interface Wish {
  readonly length: StatedLength | null;
  /** Whether a label, a word or a number is all that is wanted. */
  readonly isLabel: boolean;
  /** The kind of work that the text names first; null: none. */
  readonly work: Cue | null;
  /** Cues at the beginning and the end of the text, as bits by `cueBit`. */
  readonly cues: number;
  readonly words: number;
  /** About how many tokens the text has. */
  readonly tokens: number;
}

/** Texts that somebody writes: their names also stand for texts that a request only mentions. */
const forms: readonly Cue[] = ['story', 'essay', 'letter', 'poem', 'shortText'];
/** Work on a text that is given with the request: it wins over what the text is about. */
const onText: readonly Cue[] = ['translate', 'summarise', 'rewrite', 'extract', 'classify'];
/** Kinds of work by the cues that name them: what is named first decides, but for weak ones. */
const works: readonly Cue[] = [...forms, ...onText, 'prove', 'code'];
const weakWorks: readonly Cue[] = ['explain', 'ask', 'greet'];
const bitsOf = (cues: readonly Cue[]): number => cues.reduce((bits, cue) => bits | cueBit[cue], 0);
const formBits = bitsOf(forms),
  onTextBits = bitsOf(onText),
  workBits = bitsOf(works);

/** Where texts that are longer than a few sentences say what is wanted. */
const shortText = 700,
  wishHead = 300,
  wishTail = 250;
/** Of instructions, as much is read as a line or two at both ends. */
const instructionPiece = 500;
/** How many words may stand between a form and the verb that asks for it. */
const formReach = 9;
/** A form among the first words is asked for without a verb: `Haiku about rain`. */
const titleWords = 4;

/** Whether a text is to be written, not only mentioned: `write an essay`, not `the essay says`. */
function isAskedForm(known: readonly RequestWord[], at: number): boolean {
  const { place } = known[at]!;
  let isDefinite = false;
  for (let before = at - 1; before >= 0; before--) {
    const { cues, place: other } = known[before]!;
    const away = place - other;
    if (away > formReach) break;
    if (away <= 2 && cues & cueBit.given) return false;
    isDefinite ||= away === 1 && (cues & cueBit.definite) !== 0;
    if (cues & cueBit.write) return away <= 2 || !isDefinite;
  }
  return place <= titleWords;
}

/** `how many` asks for a fact, `how long` for no long answer; `explain briefly` is no question. */
function settleQuestion(word: RequestWord, next: RequestWord | undefined): void {
  const isQuestion = (word.cues & (cueBit.explain | cueBit.write)) === cueBit.explain;
  if (!isQuestion || next?.place !== word.place + 1) return;
  const sizes = cueBit.long | cueBit.brief;
  if ((next.cues & (sizes | cueBit.ask)) === 0) return;
  next.cues &= ~sizes;
  word.cues = (word.cues & ~cueBit.explain) | cueBit.ask;
}

function settleCues(known: readonly RequestWord[]): void {
  known.forEach((word, at) => {
    settleQuestion(word, known[at + 1]);
    if (word.cues & formBits && !isAskedForm(known, at)) word.cues &= ~formBits;
  });
}

/** The first kind of work that the words of a piece of the text name. */
function firstWork(
  known: readonly RequestWord[],
  bits: number,
  from: number,
  to: number,
): Cue | undefined {
  const found = known.find(({ cues, start }) => cues & bits && start >= from && start < to);
  return found && works.find((cue) => found.cues & bits & cueBit[cue]);
}

function workIn(
  known: readonly RequestWord[],
  cues: number,
  phrases: number,
  length: number,
): Cue | null {
  const isShort = length <= shortText;
  return (
    firstWork(known, workBits, 0, isShort ? length : wishHead) ??
    (isShort ? undefined : firstWork(known, onTextBits, length - wishTail, length)) ??
    works.find((cue) => phrases & cueBit[cue]) ??
    weakWorks.find((cue) => cues & cueBit[cue]) ??
    null
  );
}

const clauseEnd =
  /^["'”»*_)\]]*(?:\s*(?:$|[.,:;!?—–،؟।\n])|[ -](?:only|answers?|reply|response|please))/i;

/** `in one word`, `One word.`, `одним словом`, `كلمة واحدة`: two words that stand together. */
function asksForOne(first: RequestWord, second: RequestWord, text: string): boolean {
  const isPair =
    (first.cues & cueBit.one && second.cues & cueBit.label) ||
    (first.cues & cueBit.label && second.cues & cueBit.one && second.value === 0);
  if (!isPair || second.start - first.end > 1) return false;
  return clauseEnd.test(text.slice(second.end, second.end + 12));
}

/** Whether a pair of words says that a label is wanted: `yes or no`, `only the label`. */
function asksForLabel(first: RequestWord, second: RequestWord, text: string): boolean {
  const away = second.place - first.place;
  const answers = cueBit.yes | cueBit.no;
  const isEither = ((first.cues | second.cues) & answers) === answers && away <= 2;
  if (isEither && (first.cues & second.cues & answers) === 0)
    return !text.slice(first.end, second.start).includes('\n');
  const isOnly = first.cues & cueBit.only && second.cues & cueBit.label && away <= 4;
  // `just write a letter`
  if (isOnly) return (second.cues & cueBit.letter) === 0;
  return away === 1 && asksForOne(first, second, text);
}

/** A wish for a label begins with one of these, and ends a few known words later. */
const labelBits = bitsOf(['only', 'one', 'label', 'yes', 'no']),
  labelReach = 3;

function wantsLabel(known: readonly RequestWord[], phrases: number, text: string): boolean {
  if (phrases & cueBit.yes) return true;
  if (phrases & cueBit.only && phrases & (cueBit.label | cueBit.classify)) return true;
  return known.some((first, at) => {
    if ((first.cues & labelBits) === 0) return false;
    for (let next = at + 1; next < known.length && next <= at + labelReach; next++)
      if (asksForLabel(first, known[next]!, text)) return true;
    return false;
  });
}

function readText(text: string): Wish {
  const { length } = text;
  const words = readWords(text);
  const { known } = words;
  const stated = statedLength(words, text);
  settleCues(known);
  const isShort = length <= shortText;
  const phrases = phraseCues(
    isShort ? text : `${text.slice(0, wishHead)}\n${text.slice(-wishTail)}`,
  );
  const cues = known
    .filter(({ start }) => isShort || start < wishHead || start >= length - wishTail)
    .reduce((bits, word) => bits | word.cues, phrases);
  return {
    length: stated,
    isLabel: wantsLabel(known, phrases, text),
    work: workIn(known, cues, phrases, length),
    cues,
    words: words.count,
    tokens: words.tokens,
  };
}

/**
 * Reads what the last user turn asks for. Bounded work: of a long turn the first 900 and last 600
 * characters are read, of the instructions a kilobyte.
 */
export function readWish(messages: readonly ChatMessage[]): Wish {
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
  const asked = readText(contentText(last?.content));
  if (asked.length !== null || asked.isLabel) return asked;
  // instructions for every turn may say how long answers are, where the turn itself does not
  const given = messages.find(isInstruction);
  const text = contentText(given?.content);
  if (text === '') return asked;
  const said = readText(
    text.length <= 2 * instructionPiece
      ? text
      : `${text.slice(0, instructionPiece)}\n${text.slice(-instructionPiece)}`,
  );
  const { length, isLabel } = said;
  const isWork = asked.work === null || (said.work !== null && onTextBits & cueBit[said.work]);
  const cues = asked.cues | (said.cues & (cueBit.brief | cueBit.long | cueBit.data));
  return { ...asked, length, isLabel, work: (isWork ? said.work : null) ?? asked.work, cues };
}
