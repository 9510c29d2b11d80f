import type { ChatMessage } from '../../../completion.js';
import { question } from './characters.js';
import { withoutCourtesy } from './courtesy.js';
import { type Genre, genreOf } from './genre.js';
import { GramBag, type Grams } from './grams.js';
import { keywordGroups } from './keywords.js';
import { TextScan } from './text-scan.js';
import { ToolScan } from './tool-scan.js';

/** What a prediction is made from. */
export interface Features extends Grams {
  /** By place in `denseNames`; between about 0 and 3. */
  readonly dense: Float32Array;
  /** What the request asks for; the predictor was not fitted to it. */
  readonly genre: Genre;
  /** Whether it greets, thanks or asks for help, and says nothing else. */
  readonly isCourtesy: boolean;
}

/** The part of a request that features are made from. */
interface Featured {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
}

/** Of a longer turn, only the beginning and the end are read. */
const headLength = 8192;
const tailLength = 4096;
/** A turn this short is read together with the turn before it. */
const followUpLength = 80;
const contextLength = 500;

const bag = new GramBag(),
  scan = new TextScan(bag);
const noWords: ReadonlySet<number> = new Set();

/** The text of a message; its parts are joined by line breaks, pictures left out. */
export function messageText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part.text === 'string' ? part.text : '')).join('\n');
}

function lengthOf({ content }: ChatMessage): number {
  if (typeof content === 'string') return content.length;
  return Array.isArray(content)
    ? content.reduce((sum, part) => sum + (typeof part.text === 'string' ? part.text.length : 0), 0)
    : 0;
}

/**
 * The text of the last user turn; a short one with the end of the turn before it, because it says
 * little alone.
 */
function askedIn(messages: readonly ChatMessage[]): string {
  let last: string | null = null;
  for (let at = messages.length - 1; at >= 0; at--) {
    if (messages[at]!.role !== 'user') continue;
    const text = messageText(messages[at]!);
    if (last !== null) return `${text.slice(-contextLength)}\n${last}`;
    if (text.length >= followUpLength) return text;
    last = text;
  }
  return last ?? (messages.length > 0 ? messageText(messages.at(-1)!) : '');
}

/**
 * A short system prompt, with which hosts say what to do with each message. A long one describes the
 * assistant, and says less of the present task than the question does.
 */
function taskIn(messages: readonly ChatMessage[]): string {
  const [first] = messages;
  if (!first || messages.length < 2 || (first.role !== 'system' && first.role !== 'developer'))
    return '';
  return lengthOf(first) <= contextLength ? messageText(first) : '';
}

const log = Math.log1p;

type Dense = Readonly<Record<string, number>>;

/** What counts are divided by; at least 1 each. */
interface Sizes {
  readonly chars: number;
  readonly words: number;
  readonly sentences: number;
  /** Characters of the text, those that are not read too. */
  readonly whole: number;
}

/** The dense features of the text that is asked, in their order: the weights count on it. */
const counts: Readonly<Record<string, (scan: TextScan, of: Sizes) => number>> = {
  chars: (_scan, of) => log(of.whole) / 5,
  words: (_scan, of) => log(of.words) / 4,
  lines: (scan) => log(scan.lines),
  wordLength: (_scan, of) => Math.min(3, of.chars / of.words / 6),
  digitShare: (scan, of) => (scan.digits / of.chars) * 5,
  capitalShare: (scan, of) => (scan.capitals / of.chars) * 5,
  ideographShare: (scan, of) => scan.ideographs / of.chars,
  wideShare: (scan, of) =>
    (scan.scripts[0]! + scan.scripts[1]! + scan.scripts[2]! + scan.scripts[3]! + scan.scripts[4]!) /
    of.chars,
  markShare: (scan, of) => (scan.marks / of.chars) * 5,
  bracketShare: (scan, of) => (scan.brackets / of.chars) * 5,
  operatorShare: (scan, of) => (scan.operators / of.chars) * 5,
  tex: (scan) => log(scan.tex),
  questions: (scan) => Math.min(2, scan.questions / 2),
  freshShare: (scan, of) => scan.freshWords / of.words,
  longShare: (scan, of) => scan.longWords / of.words,
  sentenceLength: (_scan, of) => log(of.words / of.sentences) / 3,
  sentences: (_scan, of) => log(of.sentences) / 2,
  indentShare: (scan) => scan.indents / scan.lines,
  numbers: (scan) => log(scan.numbers),
  numberShare: (scan, of) => scan.numbers / of.words,
  decimals: (scan) => Math.min(1, scan.decimals / 3),
  options: (scan) => log(scan.options),
  hasOptions: (scan) => (scan.options >= 2 ? 1 : 0),
  fences: (scan) => Math.min(1, scan.fences),
  quotes: (scan) => log(scan.quotes),
  endsAsking: (scan) => (scan.lastKind === question ? 1 : 0),
  endsOpen: (scan) => (scan.lastCode === 58 || scan.lastCode === 0xff1a ? 1 : 0),
  blanks: (scan) => Math.min(1, scan.blanks),
  links: (scan) => Math.min(1, scan.links),
  isShort: (_scan, of) => (of.chars < 60 ? 1 : 0),
  latinShare: (scan, of) => scan.scripts[0]! / of.chars,
  cyrillicShare: (scan, of) => scan.scripts[1]! / of.chars,
  semiticShare: (scan, of) => scan.scripts[2]! / of.chars,
  indicShare: (scan, of) => scan.scripts[3]! / of.chars,
  eastAsianShare: (scan, of) => scan.scripts[4]! / of.chars,
};
const countOf = Object.values(counts);

function writeCounts(dense: Float32Array, scan: TextScan, whole: number): void {
  const of: Sizes = {
    chars: Math.max(1, scan.chars),
    words: Math.max(1, scan.words),
    sentences: Math.max(1, scan.stops - scan.decimals + scan.questions),
    whole: Math.max(1, whole),
  };
  for (let at = 0; at < countOf.length; at++) dense[at] = countOf[at]!(scan, of);
}

/** Writes how often the words of each group occur, and then their shares of all words. */
function writeGroups(dense: Float32Array, from: number, { groups, words }: TextScan): void {
  for (let group = 0; group < keywordGroups.length; group++) {
    const count = groups[group]!;
    dense[from + group] = count === 0 ? 0 : log(count);
    dense[from + keywordGroups.length + group] = Math.min(1, (count / Math.max(1, words)) * 10);
  }
}

/** The dense features of the offered tools, of which there is one at least. */
function toolCountsOf(tools: ToolScan, scan: TextScan): Dense {
  const joins = scan.groups[keywordGroups.indexOf('join')]!;
  return {
    tools: log(tools.tools),
    hasTools: 1,
    hasSeveralTools: tools.tools > 1 ? 1 : 0,
    toolText: log(tools.chars) / 5,
    toolDescriptionOverlap: tools.descriptionOverlap,
    toolNameOverlap: tools.nameOverlap,
    toolParameters: log(tools.parameters),
    toolRequired: log(tools.required),
    toolEnums: log(tools.enums),
    toolDepth: tools.depth / 2,
    wordsWithTools: log(scan.words) / 4,
    joinsWithTools: log(joins),
    numbersWithTools: log(scan.numbers),
  };
}

/** The dense features of the conversation around what is asked. */
function conversationOf(messages: readonly ChatMessage[], asked: string): Dense {
  let turns = 0,
    earlier = 0,
    instructions = 0,
    pictures = 0;
  for (const message of messages) {
    if (message.role === 'user') turns++;
    const length = lengthOf(message);
    if (message.role === 'system' || message.role === 'developer') instructions += length;
    else earlier += length;
    if (Array.isArray(message.content))
      for (const part of message.content) if (part.type !== 'text') pictures++;
  }
  return {
    turns: log(Math.max(0, turns - 1)),
    earlierText: log(Math.max(0, earlier - asked.length)) / 5,
    instructions: log(instructions) / 5,
    pictures: Math.min(1, pictures),
  };
}

const countNames = Object.keys(counts),
  toolNames = Object.keys(toolCountsOf(new ToolScan(bag, noWords), scan)),
  conversationNames = Object.keys(conversationOf([], ''));

/** Names of the dense features, in order. Weights name the features that they were fitted to. */
export const denseNames: readonly string[] = [
  ...countNames,
  ...keywordGroups,
  ...keywordGroups.map((group) => `${group}Share`),
  ...toolNames,
  ...conversationNames,
];

const toolsPlace = denseNames.indexOf('tools'),
  conversationPlace = toolsPlace + toolNames.length;

/**
 * Makes the features of a conversation: of the last question, of the conversation around it and of
 * the offered tools. Works for any language and script, without a model and with a dictionary of a
 * few hundred words. The work is bounded: of a long turn the first 8 K and last 4 K characters are
 * read, of the tools the first 32. The same request always has the same features.
 */
export function featuresOf({ messages, tools = [] }: Featured): Features {
  const said = askedIn(messages),
    meant = withoutCourtesy(said);
  const task = taskIn(messages),
    asked = (task === '' ? '' : `${task}\n`) + (meant === '' ? said : meant);
  // discards what a call that threw may have left
  bag.take();
  scan.clear();
  if (asked.length <= headLength + tailLength) scan.scan(asked, 0, asked.length);
  else {
    scan.scan(asked, 0, headLength);
    scan.scan(asked, asked.length - tailLength, asked.length);
  }
  const toolScan = new ToolScan(
    bag,
    tools.length > 0 ? new Set(scan.wordHashes.subarray(0, scan.heldWords)) : noWords,
  );
  toolScan.scan(tools);
  const around = conversationOf(messages, said);
  const dense = new Float32Array(denseNames.length);
  writeCounts(dense, scan, asked.length);
  writeGroups(dense, countNames.length, scan);
  // without tools they are 0
  if (tools.length > 0) dense.set(Object.values(toolCountsOf(toolScan, scan)), toolsPlace);
  dense.set(Object.values(around), conversationPlace);
  const isCourtesy = meant === '' && said !== '' && around['pictures'] === 0;
  return { dense, genre: genreOf(scan), isCourtesy, ...bag.take() };
}
