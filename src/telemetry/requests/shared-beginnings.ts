import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Where the beginning of a list of messages is stored already. */
interface Place {
  /** The request's id. */
  readonly id: string;
  readonly count: number;
  readonly writtenAt: number;
  /** How many other requests a reader must read for it. */
  readonly depth: number;
}

/** A list of messages that is about to be stored. */
export interface SharedBeginning {
  /** The first `count` messages are those of the request `after`. Null: store them all. */
  readonly shared: { readonly after: string; readonly count: number } | null;
  /** Call once the list is stored in the row of the request. */
  stored(id: string): void;
}

/** How many places are remembered: about 200 bytes each. */
const maxPlaces = 20_000;
/** Older requests are not referred to: once they are deleted, the beginning would be missing. */
const maxAgeMs = 3_600_000;
/** How many requests a reader follows at most. */
const maxDepth = 16;
/** Longer lists are stored whole: to look each message up would hold the process. */
const maxMessages = 4_000;
/** The shortest shared beginning in characters of JSON: less is not worth another read. */
const minShared = 1_000;

/** Finds the part of a conversation that is stored already: agents send all of it every turn. */
export class SharedBeginnings {
  private readonly places = new LRUCache<string, Place>({ max: maxPlaces });

  /** @param now in ms since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  of(accountId: string, messages: readonly unknown[]): SharedBeginning {
    if (messages.length > maxMessages) return { shared: null, stored: () => undefined };
    const names: string[] = [];
    let shared: Place | null = null;
    let length = 0;
    let name = accountId;
    for (const message of messages) {
      const json = JSON.stringify(message);
      name = hash('sha256', `${name} ${json}`, 'base64url');
      names.push(name);
      length += json.length;
      const place = this.places.get(name);
      if (place && length >= minShared && this.isFresh(place)) shared = place;
    }
    return {
      shared: shared && { after: shared.id, count: shared.count },
      stored: (id) => this.remember(id, names, (shared?.depth ?? -1) + 1),
    };
  }

  private isFresh({ writtenAt, depth }: Place): boolean {
    return depth < maxDepth && this.now() - writtenAt < maxAgeMs;
  }

  private remember(id: string, names: readonly string[], depth: number): void {
    const writtenAt = this.now();
    for (const [at, name] of names.entries()) {
      const known = this.places.get(name);
      if (!known || !this.isFresh(known) || known.depth > depth)
        this.places.set(name, { id, count: at + 1, writtenAt, depth });
    }
  }
}
