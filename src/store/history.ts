import { hash } from 'node:crypto';

/**
 * A digest that identifies a message, 32 hex digits: of its role and its text, whether that is a
 * string or a single text block, without an answer's reasoning and sources, and without surrounding
 * white space, which clients often trim. A message with calls counts by its text and the calls'
 * ids, names and arguments. Other content counts by its JSON.
 */
export function digestOf({
  role,
  content,
}: {
  readonly role: string;
  readonly content: unknown;
}): string {
  const written =
    writtenCalls(content) ?? writtenText(content) ?? `json ${JSON.stringify(content ?? null)}`;
  return hash('sha256', `${role} ${written}`).slice(0, 32);
}

/**
 * Whether a message is a system message. Clients may send these with every request, anywhere, so
 * they are not part of the dialogue's order.
 */
export const isSystemMessage = (message: { readonly role: string }): boolean =>
  message.role === 'system' || message.role === 'developer';

/**
 * The index of the first new message, for clients that send the whole history each time.
 *
 * More messages may be stored than were sent: the client may have cut off earlier messages, had an
 * answer generated again, or rephrased a question. So the sent messages count as stored up to the
 * first one that does not occur among the stored ones in the same order; others may stand in between.
 * A client that rewrites its oldest messages (a summary, the time of day) is recognized by its newest:
 * two or more of them must equal the end of the stored ones.
 *
 * @param stored digests of the last stored messages, oldest first
 * @param sent digests of the sent messages, oldest first
 */
export function firstUnstored(stored: readonly string[], sent: readonly string[]): number {
  let inOrder = 0;
  for (const digest of stored) if (digest === sent[inOrder]) inOrder += 1;
  return Math.max(inOrder, endOfLongestRun(stored, sent));
}

/**
 * The end in `sent` of the longest run that is also the end of `stored`; 0 if no run has two
 * messages. Of equally long runs the first: storing a message twice is better than losing one.
 */
function endOfLongestRun(stored: readonly string[], sent: readonly string[]): number {
  // reversed, so that both lists begin with the compared messages; no digest is empty
  const runs = runsOfStart([...stored.toReversed(), '', ...sent.toReversed()]);
  let longest = 1;
  let found = 0;
  for (let end = 2; end <= sent.length; end += 1) {
    const run = runs[stored.length + 1 + sent.length - end]!;
    if (run > longest) [longest, found] = [run, end];
  }
  return found;
}

/**
 * For each index, how many items from there on equal the beginning of the list (0 for the first
 * index): the Z function, in linear time.
 */
function runsOfStart(items: readonly string[]): number[] {
  const runs = new Array<number>(items.length).fill(0);
  // the run that reaches furthest
  let from = 0;
  let to = 0;
  for (let index = 1; index < items.length; index += 1) {
    let run = index < to ? Math.min(to - index, runs[index - from]!) : 0;
    while (index + run < items.length && items[run] === items[index + run]) run += 1;
    if (index + run > to) [from, to] = [index, index + run];
    runs[index] = run;
  }
  return runs;
}

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly tool_calls?: readonly {
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

/** Clients send a message with calls with `content: null`, `''` or a block, whatever they got. */
function writtenCalls(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  const blocks = content as (Block | null)[];
  const calls = blocks.find((block) => block?.tool_calls?.length)?.tool_calls;
  if (!calls) return null;
  const texts = blocks.flatMap((block) =>
    block?.type === 'text' && typeof block.text === 'string' ? [block.text.trim()] : [],
  );
  const called = calls.map(({ id, function: named }) => [id, named?.name, named?.arguments]);
  return `calls ${JSON.stringify([texts.filter((text) => text !== ''), called])}`;
}

/** The blocks that an answer is stored with, and that clients send it back without. */
const besideText: ReadonlySet<unknown> = new Set(['reasoning', 'sources', 'seams']);

/** A text, or a single block of text beside those. */
function writtenText(content: unknown): string | null {
  if (typeof content === 'string') return `text ${content.trim()}`;
  if (!Array.isArray(content)) return null;
  const [block, more] = (content as (Block | null)[]).filter((one) => !besideText.has(one?.type));
  const isText = block?.type === 'text' && typeof block.text === 'string' && more === undefined;
  return isText ? `text ${block.text.trim()}` : null;
}
