import type { ChatMessage } from '../../completion.js';
import { bitOf, type CueRole, widePhrases } from './cues.js';
import { type Deliverable, deliverableIn } from './deliverable.js';
import { isNear, wantsLabel } from './label.js';
import { lengthIn, type RequestedLength, scanRequest } from './requested-length.js';
import { RequestScan } from './request-scan.js';
import { settleRoles } from './settle-roles.js';

/** What the last turn of a conversation asks for, as far as it tells the length of the answer. */
export interface Wish {
  readonly length: RequestedLength | null;
  /** Whether a label, a word or a number is all that is wanted. */
  readonly isLabel: boolean;
  /** The kind of work that the text names first; null: none. */
  readonly work: CueRole | null;
  /** Roles of the words at the beginning and the end of the text, as bits by `bitOf`. */
  readonly roles: number;
  readonly words: number;
  /** About how many tokens the text has. */
  readonly tokens: number;
  /** How large what it asks for is. */
  readonly size: Deliverable;
  /** Whether the wish is repeated step by step. */
  readonly isStepwise: boolean;
}

/** Kinds of work by the roles that name them: what is named first decides, but for weak ones. */
const works: readonly CueRole[] = [
  'story',
  'essay',
  'letter',
  'poem',
  'tiny',
  'translate',
  'summarise',
  'rewrite',
  'extract',
  'classify',
  'prove',
  'code',
];
const weakWorks: readonly CueRole[] = ['explain', 'ask', 'greet'];
const workBits = works.reduce((bits, role) => bits | bitOf[role], 0);
/** Work on a text that is given with the request: it wins over what the text is about. */
const onText: readonly CueRole[] = ['translate', 'summarise', 'rewrite', 'extract', 'classify'];
const onTextBits = onText.reduce((bits, role) => bits | bitOf[role], 0);

/** Where long texts say what is wanted. */
const shortText = 700,
  wishHead = 300,
  wishTail = 250;
/** Of instructions, as much is read as a line or two at both ends. */
const instructionPiece = 500;
/** How many words may stand between `develop` and what is developed. */
const developedReach = 5;
const asciiCharactersPerToken = 4.3;

function rolesOf(scan: RequestScan): number {
  let roles = 0;
  for (let at = 0; at < scan.marks; at++) roles |= scan.roles[at]!;
  return roles;
}

/** Whether what is to be developed is a text: `develop a strategy`. */
function isText(scan: RequestScan, mark: number): boolean {
  for (let at = mark + 1; at < scan.marks; at++) {
    if (scan.words[at]! - scan.words[mark]! > developedReach || scan.roles[at]! & bitOf.code)
      return false;
    if (scan.roles[at]! & bitOf.essay) return true;
  }
  return false;
}

/** The first mark of a kind of work in a piece of the text. */
function firstWork(scan: RequestScan, bits: number, from: number, to: number): CueRole | null {
  for (let at = 0; at < scan.marks; at++) {
    const start = scan.starts[at]!;
    const found = scan.roles[at]! & bits;
    if (found === 0 || start < from || start >= to) continue;
    if (found === bitOf.code && scan.roles[at]! & bitOf.write && isText(scan, at)) continue;
    return works.find((role) => found & bitOf[role]) ?? null;
  }
  return null;
}

function workIn(
  scan: RequestScan,
  roles: number,
  wideRoles: number,
  length: number,
): CueRole | null {
  const head = length <= shortText ? length : wishHead;
  const found =
    firstWork(scan, workBits, 0, head) ??
    (length <= shortText ? null : firstWork(scan, onTextBits, length - wishTail, length)) ??
    works.find((role) => wideRoles & bitOf[role]);
  return found ?? weakWorks.find((role) => (roles | wideRoles) & bitOf[role]) ?? null;
}

/** Roles of the words at both ends of a long text. */
function rolesIn(scan: RequestScan, length: number): number {
  let roles = 0;
  for (let at = 0; at < scan.marks; at++) {
    const start = scan.starts[at]!;
    if (start < wishHead || start >= length - wishTail) roles |= scan.roles[at]!;
  }
  return roles;
}

/** What phrases of Chinese, Japanese and Korean say at both ends of a text. */
function wideRolesIn(scan: RequestScan, text: string): number {
  if (scan.wideSigns === 0) return 0;
  const piece =
    text.length <= shortText ? text : `${text.slice(0, wishHead)}\n${text.slice(-wishTail)}`;
  let roles = 0;
  for (const [role, phrases] of widePhrases)
    if (phrases.some((phrase) => piece.includes(phrase))) roles |= bitOf[role];
  return roles;
}

/** About how many tokens a text has, from what was scanned of it. */
function tokensIn({ wideSigns, otherLetters }: RequestScan, length: number): number {
  const plain = Math.max(0, length - wideSigns - otherLetters);
  return plain / asciiCharactersPerToken + wideSigns * 0.8 + otherLetters * 0.4;
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part.text === 'string' ? part.text : '')).join('\n');
}

const scan = new RequestScan();

function readText(text: string): Wish {
  scanRequest(scan, text);
  settleRoles(scan, text);
  const { length } = text;
  const allRoles = rolesOf(scan);
  const wideRoles = wideRolesIn(scan, text);
  const roles = (length <= shortText ? allRoles : rolesIn(scan, length)) | wideRoles;
  return {
    length: lengthIn(scan, text),
    isLabel: wantsLabel(scan, allRoles, wideRoles, text),
    work: workIn(scan, roles, wideRoles, length),
    roles,
    size: deliverableIn(scan, text, wishHead, roles),
    words: scan.wordCount,
    tokens: tokensIn(scan, length),
    isStepwise:
      (wideRoles & bitOf.step) !== 0 ||
      ((allRoles & bitOf.step) !== 0 && isNear(scan, bitOf.step, bitOf.step, 3)),
  };
}

/** Instructions for every turn may say how long answers are, where the turn itself does not. */
function withInstructions(asked: Wish, messages: readonly ChatMessage[]): Wish {
  if (asked.length !== null || asked.isLabel) return asked;
  const given = messages.find(({ role }) => role === 'system' || role === 'developer');
  const text = given ? textOf(given) : '';
  if (text === '') return asked;
  const piece =
    text.length <= 2 * instructionPiece
      ? text
      : `${text.slice(0, instructionPiece)}\n${text.slice(-instructionPiece)}`;
  const said = readText(piece);
  const { length, isLabel } = said;
  const work = asked.work === null || onTextBits & bitOf[said.work ?? 'greet'] ? said.work : null;
  const roles = asked.roles | (said.roles & (bitOf.brief | bitOf.long | bitOf.json));
  return { ...asked, length, isLabel, work: work ?? asked.work, roles };
}

/**
 * Reads what the last user turn asks for. Bounded work: of a long turn the first 8 K and last 4 K
 * characters are read, of the instructions a kilobyte.
 */
export function readWish(messages: readonly ChatMessage[]): Wish {
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
  return withInstructions(readText(last ? textOf(last) : ''), messages);
}
