import { type ChatMessage, isInstruction } from '../../../completion.js';
import { contentText } from '../../../text/content-text.js';
import { withoutCourtesy, withoutFinalMark } from './courtesy.js';
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

const lengthOf = ({ content }: ChatMessage): number =>
  typeof content === 'string'
    ? content.length
    : (content ?? []).reduce((sum, { text }) => sum + (text?.length ?? 0), 0);

interface Asked {
  /** Without courtesy, and without white space and marks at the end. */
  readonly text: string;
  /** Characters that it was written in. */
  readonly written: number;
  readonly isCourtesy: boolean;
  readonly endsAsking: boolean;
}

/** The last user turn; a short one, which says little, with the end of the turn before it. */
function askedIn(messages: readonly ChatMessage[]): Asked {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const said = messages.length === 0 ? '' : contentText(messages.at(at)!.content).trim();
  const meant = withoutCourtesy(said);
  const left = meant === '' ? said : meant;
  const text = withoutFinalMark(left);
  const asked = {
    text,
    written: messages.length === 0 ? 0 : lengthOf(messages.at(at)!),
    isCourtesy: meant === '' && said !== '',
    endsAsking: /[?？]$/.test(left),
  };
  const before = messages.findLastIndex(({ role }, place) => role === 'user' && place < at);
  if (before < 0 || text.length >= followUpLength) return asked;
  const context = contentText(messages[before]!.content).slice(-contextLength);
  return {
    ...asked,
    text: `${withoutCourtesy(context)}\n${text}`,
    written: asked.written + context.length,
    isCourtesy: asked.isCourtesy && withoutCourtesy(context) === '',
  };
}

/**
 * A short system prompt, with which hosts say what to do with each message. A long one describes the
 * assistant, and says less of the present task than the question does.
 */
function taskIn(messages: readonly ChatMessage[]): string {
  const [first] = messages;
  if (!first || messages.length < 2 || !isInstruction(first)) return '';
  return lengthOf(first) <= contextLength ? contentText(first.content) : '';
}

const log = Math.log1p;

type Dense = Readonly<Record<string, number>>;

/**
 * The dense features of the text that is asked, in their order: the weights count on it.
 * @param unread characters of the text that were not scanned
 */
function textCountsOf(scan: TextScan, unread: number, endsAsking: boolean): Dense {
  // what counts are divided by
  const chars = Math.max(1, scan.chars),
    words = Math.max(1, scan.words),
    sentences = Math.max(1, scan.stops - scan.decimals + scan.questions);
  return {
    chars: log(chars + unread) / 5,
    words: log(words) / 4,
    lines: log(scan.lines),
    wordLength: Math.min(3, chars / words / 6),
    digitShare: (scan.digits / chars) * 5,
    capitalShare: (scan.capitals / chars) * 5,
    ideographShare: scan.ideographs / chars,
    wideShare:
      (scan.scripts[0]! +
        scan.scripts[1]! +
        scan.scripts[2]! +
        scan.scripts[3]! +
        scan.scripts[4]!) /
      chars,
    markShare: (scan.marks / chars) * 5,
    bracketShare: (scan.brackets / chars) * 5,
    operatorShare: (scan.operators / chars) * 5,
    tex: log(scan.tex),
    questions: Math.min(2, scan.questions / 2),
    freshShare: scan.freshWords / words,
    longShare: scan.longWords / words,
    sentenceLength: log(words / sentences) / 3,
    sentences: log(sentences) / 2,
    indentShare: scan.indents / scan.lines,
    numbers: log(scan.numbers),
    numberShare: scan.numbers / words,
    decimals: Math.min(1, scan.decimals / 3),
    options: log(scan.options),
    hasOptions: scan.options >= 2 ? 1 : 0,
    fences: Math.min(1, scan.fences),
    quotes: log(scan.quotes),
    endsAsking: endsAsking ? 1 : 0,
    endsOpen: scan.lastCode === 58 || scan.lastCode === 0xff1a ? 1 : 0,
    blanks: Math.min(1, scan.blanks),
    links: Math.min(1, scan.links),
    isShort: chars < 60 ? 1 : 0,
    latinShare: scan.scripts[0]! / chars,
    cyrillicShare: scan.scripts[1]! / chars,
    semiticShare: scan.scripts[2]! / chars,
    indicShare: scan.scripts[3]! / chars,
    eastAsianShare: scan.scripts[4]! / chars,
  };
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

/**
 * The dense features of the conversation around what is asked.
 * @param asked characters of what is asked
 */
function conversationOf(messages: readonly ChatMessage[], asked: number): Dense {
  let turns = 0,
    earlier = 0,
    instructions = 0,
    pictures = 0;
  for (const message of messages) {
    if (message.role === 'user') turns++;
    const length = lengthOf(message);
    if (isInstruction(message)) instructions += length;
    else earlier += length;
    if (Array.isArray(message.content))
      for (const part of message.content) if (part.type !== 'text') pictures++;
  }
  return {
    turns: log(Math.max(0, turns - 1)),
    earlierText: log(Math.max(0, earlier - asked)) / 5,
    instructions: log(instructions) / 5,
    pictures: Math.min(1, pictures),
  };
}

const countNames = Object.keys(textCountsOf(scan, 0, false)),
  toolNames = Object.keys(toolCountsOf(new ToolScan(bag, noWords), scan)),
  conversationNames = Object.keys(conversationOf([], 0));

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
 * read, of the tools the first 32. The same request always has the same features, also with more white
 * space between its words and at its ends, and, but for `endsAsking`, with another mark at its end.
 */
export function featuresOf({ messages, tools = [] }: Featured): Features {
  const { text, written, isCourtesy, endsAsking } = askedIn(messages);
  const task = taskIn(messages),
    asked = (task === '' ? '' : `${task}\n`) + text;
  // discards what a call that threw may have left
  bag.take();
  scan.clear();
  const unread = Math.max(0, asked.length - headLength - tailLength);
  if (unread === 0) scan.scan(asked, 0, asked.length);
  else {
    scan.scan(asked, 0, headLength);
    scan.scan(asked, asked.length - tailLength, asked.length);
  }
  const toolScan = new ToolScan(
    bag,
    tools.length > 0 ? new Set(scan.wordHashes.subarray(0, scan.heldWords)) : noWords,
  );
  toolScan.scan(tools);
  const around = conversationOf(messages, written);
  const dense = new Float32Array(denseNames.length);
  dense.set(Object.values(textCountsOf(scan, unread, endsAsking)));
  writeGroups(dense, countNames.length, scan);
  // without tools they are 0
  if (tools.length > 0) dense.set(Object.values(toolCountsOf(toolScan, scan)), toolsPlace);
  dense.set(Object.values(around), conversationPlace);
  const isOnlyCourtesy = isCourtesy && around['pictures'] === 0;
  return { dense, genre: genreOf(scan), isCourtesy: isOnlyCourtesy, ...bag.take() };
}
