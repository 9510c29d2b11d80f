import { FairQueue, type WorkSource } from '../async/fair-queue.js';
import { GatewayError } from '../errors.js';

const windowMs = 60_000;
/**
 * Unknown keys of one address in a minute. A program that goes on sending one wrong key stays below
 * it, because each key is looked up at most once a second.
 */
const maxMisses = 120;
const maxNetworkMisses = 4 * maxMisses;
/** The addresses and networks that missed last: about 4 MB. */
const maxCounted = 20_000;

interface Misses {
  readonly count: number;
  readonly since: number;
}

/**
 * Decides which API keys are looked up in the database, and when: addresses take turns, and one
 * that sends many unknown keys is refused for the rest of its minute. So guesses do not keep keys
 * of other addresses waiting.
 */
export class KeyLookups {
  private readonly misses = new Map<string, Misses>();
  private readonly queue = new FairQueue({
    maxRunning: 64,
    maxRunningPerNetwork: 16,
    maxWaiting: 1_024,
    maxWaitingPerNetwork: 256,
    refusal: () =>
      new GatewayError('unavailable', 'too many unknown keys are being looked up', {
        retryAfterMs: 1_000,
      }),
  });

  /** @param now ms since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  /**
   * Runs a lookup in the address's turn, and counts it if it finds nothing.
   * @throws GatewayError `too_many_requests` after many unknown keys of the address, `unavailable`
   * if too many lookups wait
   */
  async find<T>(from: WorkSource, lookUp: () => Promise<T | null>): Promise<T | null> {
    this.refuseGuesses(from);
    return this.queue.run(from, async () => {
      // others of the same address may have failed while this one waited
      this.refuseGuesses(from);
      const found = await lookUp();
      if (found === null) this.countMiss(from);
      return found;
    });
  }

  private refuseGuesses({ address, network }: WorkSource): void {
    const waitMs = Math.max(
      this.waitMs(address, maxMisses),
      this.waitMs(network, maxNetworkMisses),
    );
    if (waitMs > 0)
      throw new GatewayError(
        'too_many_requests',
        'authorization: too many unknown API keys from this address; Retry-After says when to try again',
        { retryAfterMs: waitMs },
      );
  }

  private waitMs(counted: string, max: number): number {
    const misses = this.misses.get(counted);
    return misses && misses.count >= max ? Math.max(0, misses.since + windowMs - this.now()) : 0;
  }

  private countMiss({ address, network }: WorkSource): void {
    const now = this.now();
    for (const counted of new Set([address, network])) {
      const { count, since } = this.misses.get(counted) ?? { count: 0, since: now };
      const isOver = now >= since + windowMs;
      // the last one stands at the end
      this.misses.delete(counted);
      this.misses.set(counted, isOver ? { count: 1, since: now } : { count: count + 1, since });
    }
    for (const oldest of this.misses.keys()) {
      if (this.misses.size <= maxCounted) return;
      this.misses.delete(oldest);
    }
  }
}
