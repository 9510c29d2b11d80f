import { RecentSamples } from '../models/recent-samples.js';
import { Breaker, type BreakerRules, type Cause, type CircuitChange } from './breaker.js';
import { type Attempt, firstTokenMsOf, ownEnds } from './attempt-log.js';

/** How the calls of this process to one provider went lately. Times in ms since 1970. */
export interface ProviderHealth {
  /** Calls that ended in the last `healthWindowMs`, and how many of them the provider failed. */
  readonly attempts: number;
  readonly failures: number;
  /** Medians of about an hour, in ms; null: there are too few. */
  readonly latencyMs: number | null;
  readonly ttftMs: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastFailure: LastFailure | null;
  /** The last call for a model that the provider does not have: no failure of the provider. */
  readonly lastModelError: LastFailure | null;
}

/** A failed call, without the provider's message, which may quote a request. */
export interface LastFailure extends Pick<Cause, 'at' | 'model' | 'status'> {
  readonly code: Attempt['outcome'];
}

/** For how long calls count. */
export const healthWindowMs = 900_000;
const minuteMs = 60_000;
const minutes = healthWindowMs / minuteMs;
const samplesWindowMs = 3_600_000;
const maxSamples = 128;

interface Minute {
  minute: number;
  attempts: number;
  failures: number;
}

interface Watched {
  readonly counts: Minute[];
  readonly latencies: RecentSamples;
  readonly ttfts: RecentSamples;
  readonly last: {
    -readonly [Part in 'lastSuccessAt' | 'lastFailure' | 'lastModelError']: ProviderHealth[Part];
  };
}

/** Counts the calls of this process by provider, for people who look at its health. */
export class ProviderHealths {
  private readonly watched = new Map<string, Watched>();
  private readonly breakers = new Map<string, Breaker>();
  /** Receives each circuit of a provider that opens, is probed or closes: see `Breaker`. */
  onCircuit: (provider: string, change: CircuitChange) => void = () => undefined;

  /** @param now ms since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  /** The breaker of a provider of the configuration, which gets these rules from now on. */
  breakerOf(provider: string, rules: BreakerRules): Breaker {
    const known = this.breakers.get(provider);
    const breaker = known ?? new Breaker(rules, (change) => this.onCircuit(provider, change));
    this.breakers.set(provider, breaker);
    breaker.rules = rules;
    return breaker;
  }

  /** Takes in one call. Its provider is one of the configuration, so there are few. */
  record(attempt: Attempt): void {
    const { provider, model, outcome, status, latencyMs } = attempt;
    // what the provider was not even sent says nothing of it
    if (ownEnds.has(outcome) || (outcome === 'request_refused' && status === null)) return;
    const at = this.now();
    const watched = this.of(provider);
    const minute = minuteOf(watched, at);
    minute.attempts++;
    if (outcome === 'ok') {
      watched.last.lastSuccessAt = at;
      watched.latencies.add(latencyMs, at);
      const firstTokenMs = firstTokenMsOf(attempt);
      if (firstTokenMs !== null) watched.ttfts.add(firstTokenMs, at);
    } else {
      const failure = { at, model, code: outcome, status };
      const isOfModel = outcome === 'model_not_found';
      // a refused request is the client's mistake, and only an answer says that the provider works
      // again
      const isRefused = outcome === 'request_refused';
      if (!isOfModel && !isRefused) minute.failures++;
      const { lastFailure, lastSuccessAt } = watched.last;
      const isFailing = (lastFailure?.at ?? 0) > (lastSuccessAt ?? 0);
      if (isRefused && isFailing && lastFailure?.code !== 'request_refused') return;
      watched.last[isOfModel ? 'lastModelError' : 'lastFailure'] = failure;
    }
  }

  /** Null: this process has not called the provider. */
  find(provider: string): ProviderHealth | null {
    const watched = this.watched.get(provider);
    if (!watched) return null;
    const at = this.now();
    const first = Math.floor(at / minuteMs) - minutes + 1;
    const recent = watched.counts.filter(({ minute }) => minute >= first);
    const sum = (of: (minute: Minute) => number): number =>
      recent.reduce((total, minute) => total + of(minute), 0);
    return {
      attempts: sum(({ attempts }) => attempts),
      failures: sum(({ failures }) => failures),
      latencyMs: watched.latencies.p50(at, samplesWindowMs),
      ttftMs: watched.ttfts.p50(at, samplesWindowMs),
      ...watched.last,
    };
  }

  private of(provider: string): Watched {
    let watched = this.watched.get(provider);
    if (!watched) {
      watched = {
        counts: Array.from({ length: minutes }, () => ({ minute: 0, attempts: 0, failures: 0 })),
        latencies: new RecentSamples(maxSamples),
        ttfts: new RecentSamples(maxSamples),
        last: { lastSuccessAt: null, lastFailure: null, lastModelError: null },
      };
      this.watched.set(provider, watched);
    }
    return watched;
  }
}

/** The counts of a time's minute in the ring buffer; resets those of an earlier quarter hour. */
function minuteOf({ counts }: Watched, at: number): Minute {
  const minute = Math.floor(at / minuteMs);
  const counted = counts[minute % minutes]!;
  if (counted.minute !== minute) Object.assign(counted, { minute, attempts: 0, failures: 0 });
  return counted;
}
