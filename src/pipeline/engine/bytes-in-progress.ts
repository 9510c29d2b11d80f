import { getHeapStatistics } from 'node:v8';
import { GatewayError } from '../../errors.js';

/** What bodies in progress and answers to be stored may take together; null: the default. */
export interface ByteBounds {
  readonly maxBytesInProgress: number | null;
  readonly maxAccountBytesInProgress: number | null;
}

/** The default share: a body takes several times its bytes while it is parsed and translated. */
const shareOfHeap = 1 / 4;
/** An account's share of that, so that it leaves room for others. */
const shareOfAccount = 1 / 2;
const defaultMaxBytes = Math.floor(getHeapStatistics().heap_size_limit * shareOfHeap);
const retryAfterMs = 2_000;

/** Counts the bytes of requests in progress, in all and by account, until their answers end. */
export class BytesInProgress {
  private total = 0;
  private readonly accounts = new Map<string, number>();

  /**
   * Checks that a request may hold more bytes.
   * @param held how many it holds already: a request that is alone is never refused
   * @throws GatewayError `too_many_requests` for the account's bound, `unavailable` for that of all
   */
  check(accountId: string, bytes: number, held: number, bounds: ByteBounds): void {
    const own = this.accounts.get(accountId) ?? 0;
    const { max, maxOwn } = boundsOf(bounds);
    if (own > held && own + bytes > maxOwn)
      throw new GatewayError(
        'too_many_requests',
        `limits: this account's requests in progress may hold ${maxOwn} bytes together, and the others hold ${own - held}; wait for them to end`,
        { retryAfterMs },
      );
    if (this.total > held && this.total + bytes > max)
      throw new GatewayError(
        'unavailable',
        'the gateway is busy with other large requests: try again',
        { retryAfterMs },
      );
  }

  /** Whether there is room for more bytes, which a request can do without, even if it is alone. */
  hasRoom(accountId: string, bytes: number, bounds: ByteBounds): boolean {
    const { max, maxOwn } = boundsOf(bounds);
    return (this.accounts.get(accountId) ?? 0) + bytes <= maxOwn && this.total + bytes <= max;
  }

  /** Counts bytes of a request. */
  add(accountId: string, bytes: number): void {
    this.total += bytes;
    this.accounts.set(accountId, (this.accounts.get(accountId) ?? 0) + bytes);
  }

  /** Uncounts the bytes of a request that is over. */
  remove(accountId: string, bytes: number): void {
    this.total -= bytes;
    const left = (this.accounts.get(accountId) ?? 0) - bytes;
    if (left > 0) this.accounts.set(accountId, left);
    else this.accounts.delete(accountId);
  }
}

function boundsOf({ maxBytesInProgress, maxAccountBytesInProgress }: ByteBounds): {
  readonly max: number;
  readonly maxOwn: number;
} {
  const max = maxBytesInProgress ?? defaultMaxBytes;
  return { max, maxOwn: maxAccountBytesInProgress ?? Math.floor(max * shareOfAccount) };
}
