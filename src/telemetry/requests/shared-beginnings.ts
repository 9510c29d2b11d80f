import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Where the beginning of a list of messages is stored already. */
interface Place {
  /** Of the request. */
  readonly id: string;
  readonly count: number;
  readonly writtenAt: number;
  /** How many other requests have to be read for it. */
  readonly depth: number;
}

/** A list of messages that is about to be stored. */
export interface SharedBeginning {
  /** The first `count` messages are those of the request `after`. Null: store them all. */
  readonly shared: { readonly after: string; readonly count: number } | null;
  /** The list is stored as that of the request. */
  stored(id: string): void;
}

/** About 200 bytes each. */
const maxPlaces = 20_000;
/** A request is deleted when it is old, and then what refers to it lacks its beginning. */
const maxAgeMs = 3_600_000;
/** Also how many requests a reader follows. */
const maxDepth = 16;
/** Characters of JSON; less is not worth another read. */
const minShared = 1_000;

/** Finds what the request log has of a conversation: agents send all of it on every turn. */
export class SharedBeginnings {
  private readonly places = new LRUCache<string, Place>({ max: maxPlaces });

  /** @param now in ms since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  of(accountId: string, messages: readonly unknown[]): SharedBeginning {
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
