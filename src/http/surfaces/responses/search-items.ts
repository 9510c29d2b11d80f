import { randomUUID } from 'node:crypto';
import type { GroundingProgress } from '../../../pipeline/grounding/grounding-call.js';
import type { Json } from '../../../text/is-object.js';

/** Ids of searches that no provider has made: they are taken out before a request is forwarded. */
export const ownWebSearchId = 'ws_sbx';

/** Where items go, and their events. */
interface ItemSink {
  readonly sink: { emit(type: string, fields: object): void };
  /** @returns the place of a new item */
  add(item: Json): number;
  done(index: number, item: Json): void;
}

interface BegunSearch {
  readonly query: string;
  readonly id: string;
  readonly index: number;
}

/** The searches for an answer as items, each from its beginning to its end. */
export class SearchItems {
  private begun: BegunSearch[] = [];

  /** @param namesPages whether the client asks for the addresses that a search found */
  constructor(
    private readonly out: ItemSink,
    private readonly namesPages: boolean,
  ) {}

  progress(progress: GroundingProgress): void {
    if (progress.type === 'progress') {
      if (progress.phase === 'search') this.begin(progress.detail);
    } else if (progress.type === 'found') {
      const { query, sources } = progress;
      const search = this.begun.find((one) => one.query === query) ?? this.begin(query);
      this.end(search, sources?.map(({ url }) => ({ type: 'url', url })) ?? null);
    }
  }

  /** What has not ended will not. */
  endAll(): void {
    for (const search of this.begun) this.end(search, null);
  }

  private begin(query: string): BegunSearch {
    const id = `${ownWebSearchId}_${randomUUID().replaceAll('-', '')}`;
    const item = { id, type: 'web_search_call', status: 'in_progress', action: actionOf(query) };
    const search = { query, id, index: this.out.add(item) };
    this.begun.push(search);
    for (const state of ['in_progress', 'searching']) this.tell(search, state);
    return search;
  }

  private end(search: BegunSearch, found: readonly object[] | null): void {
    const { id, index, query } = search;
    this.begun = this.begun.filter((one) => one !== search);
    if (found) this.tell(search, 'completed');
    const sources = this.namesPages && found ? { sources: found } : {};
    this.out.done(index, {
      id,
      type: 'web_search_call',
      status: found ? 'completed' : 'failed',
      action: { ...actionOf(query), ...sources },
    });
  }

  private tell({ id, index }: BegunSearch, state: string): void {
    this.out.sink.emit(`response.web_search_call.${state}`, { item_id: id, output_index: index });
  }
}

const actionOf = (query: string): Json => ({ type: 'search', query, queries: [query] });
