import { createHmac, hash } from 'node:crypto';

/** A copy of an answer, as far as it is kept. */
export interface AnswerCopy {
  /** In characters, about. */
  readonly size: number;
  /** The answer's messages; asked for once, when they are written. */
  read(): unknown;
}

/** What is kept of a request's content: its text, or a digest alone, which is salted before it is stored. */
export type KeptContent =
  | {
      readonly kind: 'text';
      readonly messages: unknown;
      readonly answer: AnswerCopy | null;
      readonly size: number;
    }
  | { readonly kind: 'digest'; readonly digest: string };

/** The most that is kept of one request, as characters of JSON. */
const mostText = 1_048_576;
const cuts = [65_536, 4_096, 256];

/** Keeps messages, and the answer that is still to come. */
export function keepText(messages: unknown, answer: AnswerCopy | null = null): KeptContent {
  return { kind: 'text', messages, answer, size: sizeOf(messages) };
}

/** Keeps by what the same messages are known again, and nothing of them. */
export function keepDigest(messages: unknown): KeptContent {
  return { kind: 'digest', digest: hash('sha256', JSON.stringify(messages)) };
}

/** The bytes of memory that content takes, about; 0 for none. */
export function weightOf(content: KeptContent | null): number {
  return content?.kind === 'text' ? 2 * (content.size + (content.answer?.size ?? 0)) : 0;
}

/** Content as it is stored: `{messages, answer?}` with long texts cut so that a row stays below a megabyte or so, or `{hash}`. */
export function storedContent(content: KeptContent | null, salt: Buffer | null): object | null {
  if (content === null) return null;
  if (content.kind === 'text')
    return fitted({
      messages: content.messages,
      ...(content.answer ? { answer: content.answer.read() } : {}),
    });
  // an unsalted digest of a short message is as good as the message
  if (salt === null) throw new Error('a digest is not stored without its salt');
  return { hash: createHmac('sha256', salt).update(content.digest).digest('hex') };
}

/** Characters of all texts in a value, and a little for the rest. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 8;
  for (const [name, inner] of Object.entries(value)) size += name.length + sizeOf(inner);
  return size;
}

function fitted(value: object): object {
  if (sizeOf(value) <= mostText) return value;
  for (const longest of cuts) {
    const shorter = withShortTexts(value, longest) as object;
    if (sizeOf(shorter) <= mostText) return shorter;
  }
  return { omitted: true };
}

function withShortTexts(value: unknown, longest: number): unknown {
  if (typeof value === 'string')
    return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (Array.isArray(value)) return value.map((item) => withShortTexts(item, longest));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withShortTexts(inner, longest)]),
  );
}
