import { LRUCache } from 'lru-cache';
import type { LastModel } from './last-models.js';

/** What has to be known of a conversation before a turn is added to it. */
export interface KnownConversation {
  readonly title: string;
  /** Its title is to be made of the first messages that it gets: it has none yet, and nobody has named it. */
  readonly untitled: boolean;
  /** Who answered in it last; null where nobody has in the last hour. */
  readonly last: LastModel | null;
}

const mostKnown = 20_000;
/** So long a deletion or a new name on another replica may go unnoticed here. */
const knownMs = 3_000;

const keyOf = (accountId: string, id: string): string => `${accountId}\0${id}`;

/** Conversations that have been seen just now: a client that goes on at once is spared a lookup. */
export class KnownConversations {
  private readonly known = new LRUCache<string, KnownConversation>({
    max: mostKnown,
    ttl: knownMs,
  });

  find(accountId: string, id: string): KnownConversation | null {
    return this.known.get(keyOf(accountId, id)) ?? null;
  }

  add(accountId: string, id: string, conversation: KnownConversation): void {
    this.known.set(keyOf(accountId, id), conversation);
  }

  /** Somebody has answered in it, known or not. */
  answered(accountId: string, id: string, last: LastModel): void {
    const known = this.known.get(keyOf(accountId, id));
    if (known) this.known.set(keyOf(accountId, id), { ...known, last }, { noUpdateTTL: true });
  }

  remove(accountId: string, id: string): void {
    this.known.delete(keyOf(accountId, id));
  }
}

interface Holding {
  readonly accountId: string;
  readonly id: string;
}

const mostHeld = 1_000;
/** Characters of text, of all of them. */
const mostText = 128 * 1024 * 1024;

/** The conversations of a database in memory: the thousand that were used last, and no more text than memory can bear. */
export class HeldConversations {
  private readonly held: LRUCache<string, Holding>;

  /** @param remove takes one out of the database that has been let go */
  constructor(remove: (accountId: string, id: string) => void) {
    this.held = new LRUCache({
      max: mostHeld,
      maxSize: mostText,
      dispose: ({ accountId, id }, _key, reason) => {
        if (reason === 'evict') remove(accountId, id);
      },
    });
  }

  /** @param size of the whole conversation, in characters of text */
  use(accountId: string, id: string, size: number): void {
    this.held.set(
      keyOf(accountId, id),
      { accountId, id },
      { size: Math.min(mostText, Math.max(1, size)) },
    );
  }

  remove(accountId: string, id: string): void {
    this.held.delete(keyOf(accountId, id));
  }
}
