import type { RecentLists } from '../../contracts/counters.js';
import { SweptMap } from './swept-map.js';

interface List {
  /** Newest first. */
  readonly texts: readonly string[];
  readonly keepUntil: number;
}

/** The lists of one process. */
export class MemoryRecentLists implements RecentLists {
  private readonly lists = new SweptMap<List>((list) => this.isExpired(list));

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
    const kept = this.lists.get(list);
    return kept && !this.isExpired(kept) ? kept.texts : [];
  }

  private isExpired({ keepUntil }: List): boolean {
    return this.now() >= keepUntil;
  }
}
