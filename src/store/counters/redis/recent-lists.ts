import type { RecentLists } from '../../contracts/counters.js';
import { MemoryRecentLists } from '../memory/recent-lists.js';
import type { RedisLink } from './link.js';
import { noteScript } from './scripts.js';

interface Batch {
  /** Oldest first. */
  texts: string[];
  most: number;
  keepMs: number;
}

const gatherMs = 50;
const mostLists = 10_000;

/** Notes that replicas share, written in batches. While Redis is away each reads its own, and Redis gets them when it is back. */
export class RedisRecentLists implements RecentLists {
  private batches = new Map<string, Batch>();
  private timer: NodeJS.Timeout | undefined;
  private readonly own: MemoryRecentLists;

  /** @param time the scripts' first argument */
  constructor(
    private readonly link: Pick<RedisLink, 'isUp' | 'run' | 'send'>,
    private readonly prefix: string,
    private readonly time: () => string,
    now: () => number,
  ) {
    this.own = new MemoryRecentLists(now);
  }

  add(
    list: string,
    text: string,
    options: { readonly most: number; readonly keepMs: number },
  ): void {
    this.own.add(list, text, options);
    const batch = this.batches.get(list);
    if (batch === undefined && this.batches.size >= mostLists) return;
    const texts = [...(batch?.texts ?? []), text].slice(-options.most);
    this.batches.set(list, { texts, ...options });
    this.timer ??= setTimeout(() => this.flush(), gatherMs).unref();
  }

  async read(list: string): Promise<string[]> {
    this.flush();
    try {
      const texts = await this.link.send(['LRANGE', this.keyOf(list), '0', '-1']);
      return Array.isArray(texts) ? texts.map(String) : [];
    } catch {
      return this.own.read(list);
    }
  }

  /** Sends what has been gathered, if there is anybody to send it to. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.link.isUp) return;
    const batches = this.batches;
    this.batches = new Map();
    for (const [list, { texts, most, keepMs }] of batches) {
      this.link
        .run(noteScript, [this.keyOf(list)], [this.time(), String(most), String(keepMs), ...texts])
        .catch(() => undefined);
    }
  }

  private keyOf(list: string): string {
    return `${this.prefix}{${list}}:notes`;
  }
}
