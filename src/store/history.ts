import { hash } from 'node:crypto';

/**
 * By what a message is known again, 32 hex digits: its role and its text, whether that is a string or a single text block, without what stands beside
 * an answer's text, and without the white space around it, which clients like to trim from answers. Other content counts by its JSON.
 */
export function digestOf(message: { readonly role: string; readonly content: unknown }): string {
  const text = plainText(message.content);
  const written =
    text === null ? `json ${JSON.stringify(message.content ?? null)}` : `text ${text.trim()}`;
  return hash('sha256', `${message.role} ${written}`).slice(0, 32);
}

/** Messages that set the scene. They may be sent with every request, anywhere, and are no part of the dialogue's order. */
export function setsTheScene(message: { readonly role: string }): boolean {
  return message.role === 'system' || message.role === 'developer';
}

/**
 * From which index on the messages that were sent are new, where a client sends the whole history each time.
 *
 * What is stored may hold more than what was sent: earlier messages that the client has cut off, answers that it has asked for again, questions
 * that it has asked otherwise. So the messages sent count as stored as far as they stand there in that order, with others between them. A client
 * that rewrites its oldest messages (a summary, the time of day) is known again by its newest: two or more that lead up to the end of what is stored.
 *
 * @param stored digests of the last messages that are stored, oldest first
 * @param sent digests of the messages that were sent, oldest first
 */
export function unstored(stored: readonly string[], sent: readonly string[]): number {
  let inOrder = 0;
  for (const digest of stored) if (digest === sent[inOrder]) inOrder += 1;
  return Math.max(inOrder, endOfLongestRun(stored, sent));
}

/** Where in `sent` the longest run ends that is also the end of `stored`; 0 where none has two messages. Of equals the first: storing twice is better than losing. */
function endOfLongestRun(stored: readonly string[], sent: readonly string[]): number {
  // backwards, for there both begin with what is compared; no digest is empty
  const runs = runsOfStart([...[...stored].reverse(), '', ...[...sent].reverse()]);
  let longest = 1;
  let found = 0;
  for (let end = 2; end <= sent.length; end += 1) {
    const run = runs[stored.length + 1 + sent.length - end]!;
    if (run > longest) [longest, found] = [run, end];
  }
  return found;
}

/** How many items from each index on are those that the list begins with (0 for the first index), in time that grows with the list alone. */
function runsOfStart(items: readonly string[]): number[] {
  const runs = new Array<number>(items.length).fill(0);
  // the part that is known to be as the start, and reaches furthest
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

function plainText(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const [part, more] = (content as unknown[]).filter((block) => !standsBeside(block));
  if (
    more !== undefined ||
    typeof part !== 'object' ||
    part === null ||
    !('type' in part) ||
    !('text' in part)
  )
    return null;
  return part.type === 'text' && typeof part.text === 'string' ? part.text : null;
}

/** An answer is stored with its reasoning and its sources, and sent back without them. */
function standsBeside(block: unknown): boolean {
  return (
    typeof block === 'object' &&
    block !== null &&
    'type' in block &&
    (block.type === 'reasoning' || block.type === 'sources')
  );
}
