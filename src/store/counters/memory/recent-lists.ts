import type { RecentLists } from '../../contracts/counters.js';
import { SweptMap } from './swept-map.js';

interface List {
  /** Newest first. */
  readonly texts: readonly string[];
  readonly keepUntil: number;
}

/** The lists of one process. */
export class MemoryRecentLists implements RecentLists {
  private readonly lists = new SweptMap<List>(({ keepUntil }) => this.now() >= keepUntil);

  /** @param now epoch ms */
  constructor(private readonly now: () => number) {}

  add(
    list: string,
    text: string,
    { maxTexts, keepMs }: { readonly maxTexts: number; readonly keepMs: number },
  ): void {
    this.lists.set(list, {
      texts: [text, ...this.of(list)].slice(0, maxTexts),
      keepUntil: this.now() + keepMs,
    });
  }

  read(list: string): Promise<string[]> {
    return Promise.resolve([...this.of(list)]);
  }

  private of(list: string): readonly string[] {
    return this.lists.get(list)?.texts ?? [];
  }
}
