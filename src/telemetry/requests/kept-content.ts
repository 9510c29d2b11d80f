import { createHmac, hash } from 'node:crypto';
import type { SharedBeginning } from './shared-beginnings.js';

/** A copy of an answer. */
export interface AnswerCopy {
  /** Approximate characters. */
  readonly size: number;
  /** The answer's messages; called once, when they are written. */
  read(): unknown;
}

/** What is kept of a request's content: its text, or a digest, salted before it is stored. */
export type KeptContent =
  | {
      readonly kind: 'text';
      readonly messages: unknown;
      readonly answer: AnswerCopy | null;
      readonly size: number;
    }
  | { readonly kind: 'digest'; readonly digest: string };

/** How many characters of content are stored for one request. */
const maxText = 1_048_576;
const cuts = [65_536, 4_096, 256];

/** Keeps messages, and the answer when there is one. */
export function keepText(messages: unknown, answer: AnswerCopy | null = null): KeptContent {
  return { kind: 'text', messages, answer, size: sizeOf(messages) };
}

/** Keeps a digest, by which equal messages can be recognized, without their text. */
export function keepDigest(messages: unknown): KeptContent {
  return { kind: 'digest', digest: hash('sha256', JSON.stringify(messages)) };
}

/** The approximate bytes of memory that content takes; 0 for null. */
export const sizeInBytes = (content: KeptContent | null): number =>
  content?.kind === 'text' ? 2 * (content.size + (content.answer?.size ?? 0)) : 0;

/**
 * Content as it is stored: `{messages, answer?}`, with long texts cut so that a row stays below
 * about a megabyte, or `{hash}`.
 * @param shared the first `count` messages are in the row of the request `after`: its id is stored
 *   instead of them
 */
export function storedContent(
  content: KeptContent | null,
  salt: Buffer | null,
  shared: SharedBeginning['shared'] = null,
): object | null {
  if (content === null) return null;
  if (content.kind === 'text')
    return fitted({
      ...shared,
      messages: shared ? (content.messages as unknown[]).slice(shared.count) : content.messages,
      ...(content.answer ? { answer: content.answer.read() } : {}),
    });
  // a short message can be guessed from its unsalted digest
  if (salt === null) throw new Error('a digest must not be stored without a salt');
  return { hash: createHmac('sha256', salt).update(content.digest).digest('hex') };
}

/** Characters of all texts in a value, plus a little for the rest. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 8;
  for (const [name, inner] of Object.entries(value)) size += name.length + sizeOf(inner);
  return size;
}

function fitted(value: object): object {
  if (sizeOf(value) <= maxText) return value;
  for (const maxLength of cuts) {
    const shorter = withShortTexts(value, maxLength) as object;
    if (sizeOf(shorter) <= maxText) return shorter;
  }
  return { omitted: true };
}

function withShortTexts(value: unknown, maxLength: number): unknown {
  if (typeof value === 'string')
    return value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
  if (Array.isArray(value)) return value.map((item) => withShortTexts(item, maxLength));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withShortTexts(inner, maxLength)]),
  );
}
