import type { Use } from '../accounts/caller-limits.js';
import type { Granted } from '../accounts/rate-limiter.js';
import type { Usage } from '../completion.js';
import type { Attempt, FailedUse } from '../dispatch/attempt-log.js';
import type { Admission } from '../dispatch/candidate-attempts.js';
import type { Candidate } from '../chooser/plan.js';
import type { ObservedRequest } from '../telemetry/observed-request.js';

/** Tokens and money of one attempt. Null: no such limit applies, or the price is not known. */
export interface AttemptUse {
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** What the attempts of a request use of its caller's limits. */
export interface AttemptUses {
  /** The most that one attempt can use, with this candidate or any that follows it. */
  maxFrom(candidate: Candidate): AttemptUse;
  /** What the provider may charge for an attempt whose usage it did not report. */
  maxOf(candidate: Candidate): AttemptUse;
  /** What an attempt used by the provider's own account. */
  reported(candidate: Candidate, usage: Usage): AttemptUse;
}

/**
 * What one request has reserved of its caller's limits: enough for one attempt. An attempt that may
 * have been billed takes it; the next one then needs a reservation of its own. An attempt is charged
 * what its provider reports, or what it may bill at most.
 */
export class RequestReservation {
  private charged = { tokens: 0, costUsd: 0 };
  /** The attempt that began and has not been charged. */
  private current: Candidate | null = null;
  private isTaken = false;

  /**
   * @param reserve reserves for a further attempt
   * @param granted what is reserved for the first attempt
   */
  constructor(
    private readonly request: Pick<ObservedRequest, 'record'>,
    private uses: AttemptUses,
    private readonly reserve: (most: Use) => Promise<Granted>,
    private granted: Granted,
  ) {}

  /**
   * Admits an attempt; after one that may have been billed, reserves again.
   * @throws GatewayError as `reserve`
   */
  readonly admit: Admission = (candidate) => {
    if (this.isTaken) return this.reserveAgain(candidate);
    this.current = candidate;
    return null;
  };

  /** An attempt ended. One that succeeded is charged by `answered`. */
  ended({ outcome }: Attempt, failed: FailedUse | null): void {
    if (outcome === 'ok' || !this.current) return;
    if (failed?.mayBeBilled === false) this.current = null;
    else this.charge(failed?.usage ?? null);
  }

  /** The last attempt's answer is whole. @param usage null if the provider reported none */
  answered(usage: Usage | null): void {
    this.charge(usage);
  }

  /** The next attempt sends another prompt than was reserved for: it needs a new reservation. */
  continueWith(uses: AttemptUses): void {
    this.uses = uses;
    this.isTaken = true;
  }

  /** No attempt is under way: what is reserved and was not used is free for others. */
  release(): void {
    this.granted.settle({ requests: 1, ...this.charged });
    this.isTaken = true;
  }

  /** Adds what was paid beside tokens, by a reservation of its own. */
  addBeside(costUsd: number): void {
    const { record } = this.request;
    record.costUsd = (record.costUsd ?? 0) + costUsd;
  }

  /** The request is over. Further calls do nothing. */
  settle(): void {
    // an attempt without a reported end may have been billed
    this.charge(null);
    this.granted.settle({ requests: 1, ...this.charged });
  }

  private async reserveAgain(candidate: Candidate): Promise<void> {
    this.granted.settle({ requests: 1, ...this.charged });
    this.charged = { tokens: 0, costUsd: 0 };
    this.granted = await this.reserve({ requests: null, ...this.uses.maxFrom(candidate) });
    this.isTaken = false;
    this.current = candidate;
  }

  private charge(usage: Usage | null): void {
    const { current, uses } = this;
    if (!current) return;
    this.current = null;
    this.isTaken = true;
    const { tokens, costUsd } = usage ? uses.reported(current, usage) : uses.maxOf(current);
    this.charged.tokens += tokens ?? 0;
    if (costUsd === null) return;
    this.charged.costUsd += costUsd;
    const { record } = this.request;
    // a request may have several reservations
    record.costUsd = (record.costUsd ?? 0) + costUsd;
    // of a request without an answer: the last model that may have been billed
    record.provider = current.provider;
    record.model = current.model;
  }
}
