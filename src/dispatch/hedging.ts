import type { Candidate } from '../chooser/plan.js';
import type { LatencyWindow } from '../models/latency-window.js';
import { NameCache } from '../models/name-cache.js';

/** The capacity of a bucket: how many unused hedges are saved for later. */
const maxSaved = 10;
const maxAccounts = 10_000;
// twenty times 0.05 is a little less than 1 in binary
const roundingError = 1e-9;

/**
 * Decides when, and how often, a second model is called beside one that is late. Token buckets of
 * this process, one of all requests and one of each account, begin empty, so that `maxShare` holds
 * from the first request on.
 */
export class Hedging {
  /** The bucket of all requests: each adds `maxShare` of a hedge. */
  private readonly all = { hedges: 0 };
  private readonly accounts = new NameCache<{ hedges: number }>(maxAccounts);

  /** @param rules as `hedge` of the configuration */
  constructor(
    private readonly rules: { readonly afterPercentile: number; readonly maxShare: number },
    private readonly latencies: Pick<LatencyWindow, 'percentileMs'>,
  ) {}

  /** After how many ms without content a call is late; null: too few answers were measured. */
  afterMs({ provider, model }: Candidate): number | null {
    return this.latencies.percentileMs(`${provider}/${model}`, this.rules.afterPercentile);
  }

  /** Counts a request that may be hedged. */
  count(accountId: string): void {
    for (const one of this.of(accountId))
      one.hedges = Math.min(maxSaved, one.hedges + this.rules.maxShare);
  }

  /** Takes a hedge from the buckets of the account and of all. False: one of them has none left. */
  take(accountId: string): boolean {
    const shares = this.of(accountId);
    if (shares.some(({ hedges }) => hedges < 1 - roundingError)) return false;
    for (const one of shares) one.hedges--;
    return true;
  }

  /** A hedge was taken, and no second call was made. */
  giveBack(accountId: string): void {
    for (const one of this.of(accountId)) one.hedges++;
  }

  private of(accountId: string): { hedges: number }[] {
    return [this.all, this.accounts.of(accountId, () => ({ hedges: 0 }))];
  }
}
