import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ChatMessage } from '../completion.js';

/** A model that answered or was chosen, and its provider. */
export interface LastModel {
  readonly provider: string | null;
  readonly model: string;
}

/** Providers cache prompts for an hour at most; then there is no reason to keep the same model. */
export const warmMs = 3_600_000;
const maxKnown = 20_000;

/**
 * The last models of conversations in the last hour, in this process, by any key that identifies a
 * continuation. Contains names and digests, no content.
 */
export class LastModels {
  private readonly known: LRUCache<string, LastModel>;

  /** @param now in ms; for tests */
  constructor(now: () => number = () => performance.now()) {
    this.known = new LRUCache({
      // `max` would allocate room for all entries at once
      maxSize: maxKnown,
      sizeCalculation: () => 1,
      ttl: warmMs,
      ttlResolution: 0,
      perf: { now },
    });
  }

  /** Null if unknown. */
  find(accountId: string, key: string): LastModel | null {
    return this.known.get(`${accountId}\0${key}`) ?? null;
  }

  add(accountId: string, key: string, { provider, model }: LastModel): void {
    this.known.set(`${accountId}\0${key}`, { provider, model });
  }
}

/** How many first and last messages identify a history, and characters of each end of a text. */
const maxFirst = 2;
const maxLast = 4;
const maxEnd = 1_024;

/**
 * Identifies a history: a digest of its length and of its first and last messages, in bounded time.
 * Like providers' prompt caches it treats two conversations with the same messages as one.
 * @param end how many of the messages count
 */
export function historyKey(messages: readonly ChatMessage[], end = messages.length): string {
  let text = String(end);
  for (let at = 0; at < end; at++) {
    if (at < maxFirst || at >= end - maxLast) text += messageText(messages[at]!);
  }
  return hash('sha256', text);
}

function messageText({ role, content }: ChatMessage): string {
  if (typeof content === 'string') return `\0${role}\0${endsOf(content)}`;
  if (!Array.isArray(content)) return `\0${role}`;
  let text = `\0${role}`;
  // a single text block and a plain text are the same message
  for (const part of content.slice(0, maxFirst))
    text += `\0${endsOf(typeof part.text === 'string' ? part.text : part.type)}`;
  return text;
}

const endsOf = (text: string): string =>
  text.length <= 2 * maxEnd
    ? text
    : `${text.length}\0${text.slice(0, maxEnd)}${text.slice(-maxEnd)}`;
