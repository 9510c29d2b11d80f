import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ChatMessage } from '../completion.js';

/** Whose model answered, or was chosen. */
export interface LastModel {
  readonly provider: string | null;
  readonly model: string;
}

/** Providers keep what they have read for minutes, an hour at the longest: after that there is no reason to stay. */
export const warmMs = 3_600_000;
const mostKnown = 20_000;

/** Which model answered last, by whatever a request that goes on is known by: the last hour's, of this process. Holds names and digests, no content. */
export class LastModels {
  private readonly known: LRUCache<string, LastModel>;

  /** @param now in ms; for tests */
  constructor(now: () => number = () => performance.now()) {
    this.known = new LRUCache({ max: mostKnown, ttl: warmMs, ttlResolution: 0, perf: { now } });
  }

  /** Null where nothing is known of it. */
  find(accountId: string, key: string): LastModel | null {
    return this.known.get(`${accountId}\0${key}`) ?? null;
  }

  add(accountId: string, key: string, { provider, model }: LastModel): void {
    this.known.set(`${accountId}\0${key}`, { provider, model });
  }
}

/** How many of the first and the last messages tell a history from others, and how much of each text. */
const mostFirst = 2,
  mostLast = 4;
const longestEnd = 1_024;

/**
 * By what a history is known again: digest of how many messages there are and of the first and the last of them. Bounded work. As with
 * providers' own prompt caches, two conversations that begin alike are one until they part.
 * @param end how many of the messages count
 */
export function historyKey(messages: readonly ChatMessage[], end = messages.length): string {
  let text = String(end);
  for (let at = 0; at < end; at++) {
    if (at < mostFirst || at >= end - mostLast) text += messageText(messages[at]!);
  }
  return hash('sha256', text);
}

function messageText({ role, content }: ChatMessage): string {
  if (typeof content === 'string') return `\0${role}\0${endsOf(content)}`;
  if (!Array.isArray(content)) return `\0${role}`;
  let text = `\0${role}`;
  // one block and its text alone are the same message
  for (const part of content.slice(0, mostFirst))
    text += `\0${endsOf(typeof part.text === 'string' ? part.text : part.type)}`;
  return text;
}

const endsOf = (text: string): string =>
  text.length <= 2 * longestEnd
    ? text
    : `${text.length}\0${text.slice(0, longestEnd)}${text.slice(-longestEnd)}`;
