import { LRUCache } from 'lru-cache';
import type { LazyDatabases } from '../store/lazy-databases.js';
import type { LastModel } from './last-models.js';

/** What a request needs to know of its conversation. */
export interface KnownConversation {
  readonly title: string;
  /** True: it has no messages and no given title, so its first messages give it one. */
  readonly untitled: boolean;
  /** The model of its last answer; null if there was none in the last hour. */
  readonly last: LastModel | null;
}

const maxKnown = 20_000;
/** How long a deletion or a new title on another replica may go unnoticed here. */
const defaultFreshMs = 3_000;

const ownedKey = (accountId: string, id: string): string => `${accountId}\0${id}`;

/** Conversations used lately, for clients that go on at once and while the database is away. */
export class KnownConversations {
  private readonly known: LRUCache<string, KnownConversation>;

  constructor(freshMs = defaultFreshMs) {
    this.known = new LRUCache({
      // `max` would allocate room for all entries at once
      maxSize: maxKnown,
      sizeCalculation: () => 1,
      ttl: freshMs,
      allowStale: true,
      noDeleteOnStaleGet: true,
    });
  }

  /** The conversation, if it was cached in the last `freshMs`. */
  fresh(accountId: string, id: string): KnownConversation | null {
    return this.known.get(ownedKey(accountId, id), { allowStale: false }) ?? null;
  }

  /** The conversation as it was cached last, however long ago. */
  last(accountId: string, id: string): KnownConversation | null {
    return this.known.get(ownedKey(accountId, id)) ?? null;
  }

  add(accountId: string, id: string, conversation: KnownConversation): void {
    this.known.set(ownedKey(accountId, id), conversation);
  }

  /** Updates the last model of a conversation, if it is cached. */
  answered(accountId: string, id: string, last: LastModel): void {
    const known = this.last(accountId, id);
    if (known) this.known.set(ownedKey(accountId, id), { ...known, last }, { noUpdateTTL: true });
  }

  remove(accountId: string, id: string): void {
    this.known.delete(ownedKey(accountId, id));
  }
}

const maxConversations = 1_000;
/** Characters of text, of all conversations together. */
const maxText = 128 * 1024 * 1024;

/** Bounds the conversations, or research notes, of a database in memory: the thousand used last. */
export class VolatileConversations {
  private readonly used: LRUCache<string, { readonly accountId: string; readonly id: string }>;

  /** Null for a database that is not in memory: it cannot exhaust the memory of this process. */
  static of(
    { isVolatile }: Pick<LazyDatabases, 'isVolatile'>,
    remove: (accountId: string, id: string) => Promise<unknown>,
  ): VolatileConversations | null {
    return isVolatile ? new VolatileConversations(remove) : null;
  }

  /** @param remove deletes one from the database */
  private constructor(remove: (accountId: string, id: string) => Promise<unknown>) {
    this.used = new LRUCache({
      max: maxConversations,
      maxSize: maxText,
      dispose: ({ accountId, id }, _key, reason) => {
        if (reason === 'evict') remove(accountId, id).catch(() => undefined);
      },
    });
  }

  /** @param size characters of its text */
  use(accountId: string, id: string, size: number): void {
    this.used.set(
      ownedKey(accountId, id),
      { accountId, id },
      { size: Math.min(maxText, Math.max(1, size)) },
    );
  }

  remove(accountId: string, id: string): void {
    this.used.delete(ownedKey(accountId, id));
  }
}
