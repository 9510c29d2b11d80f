import type { KeyBook } from '../accounts/key-book.js';
import type { Attempt } from '../dispatch/carry-out.js';
import type { Provider } from '../dispatch/provider.js';
import type { Catalog } from '../routing/catalog.js';
import type { LatencyWindow } from '../routing/latency-window.js';
import type { Ranker } from '../routing/plan.js';

/** The numbers that the configuration sets for requests; durations in ms. */
export interface RequestLimits {
  readonly maxBodyBytes: number;
  readonly maxRetries: number;
  readonly totalTimeoutMs: number;
  readonly holdStatusMs: number;
  readonly pingMs: number;
}

/** All that one configuration makes of the gateway: built whole, never changed, swapped as one. */
export interface Runtime {
  readonly limits: RequestLimits;
  readonly keys: KeyBook;
  readonly keysRequired: boolean;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly catalog: Catalog;
  readonly latencies: LatencyWindow;
  readonly ranker: Ranker;
  readonly givenOrder: Ranker;
  readonly routing: {
    readonly order: 'ranked' | 'given';
    readonly allow: readonly string[] | null;
    readonly deny: readonly string[];
    /** The candidates of `model: auto`. */
    readonly auto: readonly string[];
  };
  readonly proxy: { readonly enabled: boolean; readonly forwardHeaders: readonly string[]; readonly allowed: ReadonlySet<string> };
  /** True for models of the catalogue and the configuration: a closed set, fit for labels. */
  isKnownModel(provider: string, model: string): boolean;
  onAttempt(attempt: Attempt): void;
}
