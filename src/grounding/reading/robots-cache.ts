import { LRUCache } from 'lru-cache';
import type { ReadableUrl } from './readable-url.js';
import { parseRobots, type RobotsRules } from './robots-file.js';

/** The answer to a request of a robots.txt. */
export interface RobotsAnswer {
  readonly status: number;
  readonly text: string;
}

interface Entry {
  readonly rules: RobotsRules;
  readonly endsAt: number;
}

const allowsAll: RobotsRules = { allows: () => true, size: 200 };
const allowsNothing: RobotsRules = { allows: () => false, size: 200 };

const maxCacheBytes = 4_000_000;
const keptMs = 3_600_000;
/** For a site whose robots.txt could not be read. */
const keptAfterFailureMs = 60_000;

/**
 * What the robots.txt of each site says. One that does not exist allows everything; one that cannot
 * be read allows nothing (RFC 9309, section 2.3.1).
 */
export class RobotsCache {
  private readonly sites = new LRUCache<string, Entry>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ rules }, origin) => rules.size + origin.length,
  });

  /** @param product the user agent's name without a version */
  constructor(
    private readonly product: string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Whether a page may be read.
   * @param ask requests the site's robots.txt; where it rejects with `forbidden_…`, `too_slow`
   *   or `cancelled`, so does this
   */
  async allows(
    { url }: ReadableUrl,
    ask: (url: string) => Promise<RobotsAnswer>,
  ): Promise<boolean> {
    const known = this.sites.get(url.origin);
    const entry = known && known.endsAt > this.now() ? known : await this.read(url.origin, ask);
    return entry.rules.allows(`${url.pathname}${url.search}`);
  }

  private async read(origin: string, ask: (url: string) => Promise<RobotsAnswer>): Promise<Entry> {
    const { rules, isFailure } = this.interpret(await ask(`${origin}/robots.txt`));
    const entry = { rules, endsAt: this.now() + (isFailure ? keptAfterFailureMs : keptMs) };
    this.sites.set(origin, entry);
    return entry;
  }

  private interpret({ status, text }: RobotsAnswer): { rules: RobotsRules; isFailure: boolean } {
    if (status >= 200 && status < 300)
      return { rules: parseRobots(text, this.product), isFailure: false };
    const isMissing = status >= 300 && status < 500 && status !== 429;
    return { rules: isMissing ? allowsAll : allowsNothing, isFailure: !isMissing };
  }
}
