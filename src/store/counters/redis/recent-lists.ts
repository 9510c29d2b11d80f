import type { RecentLists } from '../../contracts/counters.js';
import { MemoryRecentLists } from '../memory/recent-lists.js';
import type { RedisLink } from './link.js';
import { recentListScript } from './scripts.js';

interface Batch {
  /** Oldest first. */
  texts: string[];
  maxTexts: number;
  keepMs: number;
}

const delayMs = 50;
const maxLists = 10_000;

/** Lists that replicas share. While Redis is away, each reads its own, and sends it later. */
export class RedisRecentLists implements RecentLists {
  private batches = new Map<string, Batch>();
  private timer: NodeJS.Timeout | undefined;
  private readonly local: MemoryRecentLists;

  constructor(
    private readonly link: Pick<RedisLink, 'isUp' | 'run' | 'send'>,
    private readonly prefix: string,
    now: () => number,
  ) {
    this.local = new MemoryRecentLists(now);
  }

  add(
    list: string,
    text: string,
    options: { readonly maxTexts: number; readonly keepMs: number },
  ): void {
    this.local.add(list, text, options);
    const batch = this.batches.get(list);
    if (batch === undefined && this.batches.size >= maxLists) return;
    const texts = [...(batch?.texts ?? []), text].slice(-options.maxTexts);
    this.batches.set(list, { texts, ...options });
    this.timer ??= setTimeout(() => this.flush(), delayMs).unref();
  }

  async read(list: string): Promise<string[]> {
    this.flush();
    try {
      const texts = await this.link.send(['LRANGE', this.keyOf(list), '0', '-1']);
      return Array.isArray(texts) ? texts.map(String) : [];
    } catch {
      return this.local.read(list);
    }
  }

  /** Sends the batches if Redis is available. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.link.isUp) return;
    const batches = this.batches;
    this.batches = new Map();
    for (const [list, { texts, maxTexts, keepMs }] of batches) {
      this.link
        .run(recentListScript, [this.keyOf(list)], [String(maxTexts), String(keepMs), ...texts])
        .catch(() => undefined);
    }
  }

  private keyOf(list: string): string {
    return `${this.prefix}{${list}}:notes`;
  }
}
