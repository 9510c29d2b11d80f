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

const counts = [
  'chars',
  'words',
  'lines',
  'wordLength',
  'digitShare',
  'capitalShare',
  'ideographShare',
  'wideShare',
  'markShare',
  'bracketShare',
  'operatorShare',
  'tex',
  'questions',
  'freshShare',
  'longShare',
  'sentenceLength',
  'sentences',
  'indentShare',
  'numbers',
  'numberShare',
  'decimals',
  'options',
  'hasOptions',
  'fences',
  'quotes',
  'endsAsking',
  'endsOpen',
  'blanks',
  'links',
  'isShort',
] as const;
const scripts = [
  'latinShare',
  'cyrillicShare',
  'semiticShare',
  'indicShare',
  'eastAsianShare',
] as const;
const toolCounts = [
  'tools',
  'hasTools',
  'hasSeveralTools',
  'toolText',
  'toolDescriptionOverlap',
  'toolNameOverlap',
  'toolParameters',
  'toolRequired',
  'toolEnums',
  'toolDepth',
  'wordsWithTools',
  'joinsWithTools',
  'numbersWithTools',
] as const;
const conversation = ['turns', 'earlierText', 'instructions', 'pictures'] as const;

/** Names of the dense features, in order. Weights name the features that they were fitted to. */
export const denseNames: readonly string[] = [
  ...counts,
  ...scripts,
  ...keywordGroups,
  ...keywordGroups.map((group) => `${group}Share`),
  ...toolCounts,
  ...conversation,
];

const picturesPlace = denseNames.indexOf('pictures');

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

function writeCounts(dense: Float32Array, scan: TextScan, whole: number): number {
  const chars = Math.max(1, scan.chars),
    words = Math.max(1, scan.words),
    sentences = Math.max(1, scan.stops - scan.decimals + scan.questions);
  const values = [
    log(Math.max(1, whole)) / 5,
    log(words) / 4,
    log(scan.lines),
    Math.min(3, chars / words / 6),
    (scan.digits / chars) * 5,
    (scan.capitals / chars) * 5,
    scan.ideographs / chars,
    (scan.scripts[0]! + scan.scripts[1]! + scan.scripts[2]! + scan.scripts[3]! + scan.scripts[4]!) /
      chars,
    (scan.marks / chars) * 5,
    (scan.brackets / chars) * 5,
    (scan.operators / chars) * 5,
    log(scan.tex),
    Math.min(2, scan.questions / 2),
    scan.freshWords / words,
    scan.longWords / words,
    log(words / sentences) / 3,
    log(sentences) / 2,
    scan.indents / scan.lines,
    log(scan.numbers),
    scan.numbers / words,
    Math.min(1, scan.decimals / 3),
    log(scan.options),
    scan.options >= 2 ? 1 : 0,
    Math.min(1, scan.fences),
    log(scan.quotes),
    scan.lastKind === question ? 1 : 0,
    scan.lastCode === 58 || scan.lastCode === 0xff1a ? 1 : 0,
    Math.min(1, scan.blanks),
    Math.min(1, scan.links),
    chars < 60 ? 1 : 0,
  ];
  let at = 0;
  for (; at < values.length; at++) dense[at] = values[at]!;
  for (const script of scan.scripts) dense[at++] = script / chars;
  const { groups } = scan,
    { length } = keywordGroups;
  for (let group = 0; group < length; group++, at++) {
    const count = groups[group]!;
    dense[at] = count === 0 ? 0 : log(count);
    dense[at + length] = Math.min(1, (count / words) * 10);
  }
  return at + length;
}

function writeTools(dense: Float32Array, at: number, tools: ToolScan, scan: TextScan): number {
  // all of them are 0 without tools
  if (tools.tools === 0) return at + toolCounts.length;
  const joins = scan.groups[keywordGroups.indexOf('join')]!;
  dense.set(
    [
      log(tools.tools),
      1,
      tools.tools > 1 ? 1 : 0,
      log(tools.chars) / 5,
      tools.descriptionOverlap,
      tools.nameOverlap,
      log(tools.parameters),
      log(tools.required),
      log(tools.enums),
      tools.depth / 2,
      log(scan.words) / 4,
      log(joins),
      log(scan.numbers),
    ],
    at,
  );
  return at + toolCounts.length;
}

function writeConversation(
  dense: Float32Array,
  at: number,
  messages: readonly ChatMessage[],
  asked: string,
): void {
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
  dense.set(
    [
      log(Math.max(0, turns - 1)),
      log(Math.max(0, earlier - asked.length)) / 5,
      log(instructions) / 5,
      Math.min(1, pictures),
    ],
    at,
  );
}

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
  const dense = new Float32Array(denseNames.length);
  const at = writeTools(dense, writeCounts(dense, scan, asked.length), toolScan, scan);
  writeConversation(dense, at, messages, said);
  const isCourtesy = meant === '' && said !== '' && dense[picturesPlace] === 0;
  return { dense, genre: genreOf(scan), isCourtesy, ...bag.take() };
}
