import type { Use } from '../accounts/caller-limits.js';
import type { Granted, Refused } from '../accounts/rate-limiter.js';
import type { Usage } from '../completion.js';
import type { Attempt, FailedUse } from '../dispatch/attempt-log.js';
import type { Admission } from '../dispatch/candidate-attempts.js';
import type { Candidate } from '../chooser/plan.js';
import type { ObservedRequest } from '../telemetry/observed-request.js';
import type { GatewaySnapshot } from './engine/snapshot.js';

/** Tokens and money of one attempt. Null: no such limit applies, or the price is not known. */
export interface AttemptUse {
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** What is known of an attempt that is over. */
export interface EndedAttempt {
  /** As stated, or estimated from the text that was seen; null: neither. */
  readonly usage: Usage | null;
  readonly ranMs: number;
  readonly isWhole: boolean;
}

/** What an attempt counts. `costUsd`: the most that its provider may bill for it. */
export interface AttemptCharge extends AttemptUse {
  /** The part of `costUsd` that is spent: the price of the usage. */
  readonly spentUsd: number;
}

/** What the attempts of a request use of its caller's limits. */
export interface AttemptUses {
  /** The most that one attempt can use, with this candidate or any that follows it. */
  maxFrom(candidate: Candidate): AttemptUse;
  /** What an attempt that is over used, and what its provider may bill for it at most. */
  chargeOf(candidate: Candidate, ended: EndedAttempt): AttemptCharge;
}

/**
 * What one request has reserved of its caller's limits: enough for one attempt. An attempt that may
 * have been billed uses it up; the next one needs a new reservation. An attempt is charged what its
 * provider reports, or the most that it may bill: the part beyond the spend is held.
 */
export class RequestReservation {
  private charged = { tokens: 0, costUsd: 0 };
  /** What is held only for a time, and for how long. */
  private passing = { costUsd: 0, holdMs: 0 };
  /** The attempt that began and has not been charged. */
  private current: { readonly candidate: Candidate; readonly startedAt: number } | null = null;
  private isTaken = false;

  /**
   * @param reserve reserves for a further attempt
   * @param granted what is reserved for the first attempt
   */
  constructor(
    private readonly request: Pick<ObservedRequest, 'record'> & {
      readonly snapshot: Pick<GatewaySnapshot, 'providers'>;
    },
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
    this.begin(candidate);
    return null;
  };

  /**
   * An attempt ended. One that succeeded is charged by `answered`.
   * @param usage as in `EndedAttempt`
   */
  ended({ outcome }: Attempt, failed: FailedUse | null, usage: Usage | null): void {
    if (outcome === 'ok') return;
    if (failed?.mayBeBilled === false) this.current = null;
    else this.charge(usage, false);
  }

  /** The last attempt's answer is whole. */
  answered(usage: Usage): void {
    this.charge(usage, true);
  }

  /** The answer to a part of what was reserved for is whole; the rest follows. */
  answeredPart(usage: Usage): void {
    this.charge(usage, true);
    this.isTaken = false;
  }

  /** The next attempt sends another prompt than was reserved for: it needs a new reservation. */
  continueWith(uses: AttemptUses): void {
    this.uses = uses;
    this.isTaken = true;
  }

  /** A separate reservation for a concurrent attempt; null: there is no room for it. */
  async beside(
    candidate: Candidate,
    reserve: (most: Use) => Promise<Granted | Refused>,
  ): Promise<RequestReservation | null> {
    const granted = await reserve({ requests: null, ...this.uses.maxFrom(candidate) });
    return granted.outcome === 'refused'
      ? null
      : new RequestReservation(this.request, this.uses, this.reserve, granted);
  }

  /** Call while no attempt is under way: frees what is reserved and unused. */
  release(): void {
    this.granted.settle({ requests: 1, ...this.charged });
    this.isTaken = true;
    const { costUsd, holdMs } = this.passing;
    if (costUsd === 0) return;
    this.passing = { costUsd: 0, holdMs: 0 };
    // if other requests have taken the room meanwhile, nothing is held
    this.reserve({ ...nothing, costUsd }).then(
      (granted) => void setTimeout(() => granted.settle(nothing), holdMs).unref(),
      () => undefined,
    );
  }

  /** The request is over. Further calls do nothing. */
  settle(): void {
    // an attempt without a reported end may have been billed
    this.charge(null, false);
    this.release();
  }

  private begin(candidate: Candidate): void {
    this.current = { candidate, startedAt: performance.now() };
    this.isTaken = false;
  }

  private async reserveAgain(candidate: Candidate): Promise<void> {
    this.release();
    this.charged = { tokens: 0, costUsd: 0 };
    this.granted = await this.reserve({ requests: null, ...this.uses.maxFrom(candidate) });
    this.begin(candidate);
  }

  private charge(usage: Usage | null, isWhole: boolean): void {
    const { current, uses, charged, passing } = this;
    if (!current) return;
    this.current = null;
    this.isTaken = true;
    const { candidate, startedAt } = current;
    const ended = { usage, isWhole, ranMs: performance.now() - startedAt };
    const { tokens, costUsd, spentUsd } = uses.chargeOf(candidate, ended);
    charged.tokens += tokens ?? 0;
    if (costUsd === null) return;
    charged.costUsd += spentUsd;
    const heldUsd = Math.max(0, costUsd - spentUsd);
    const { record, snapshot } = this.request;
    // a request without an answer is recorded under the last model that may have been billed
    record.provider = candidate.provider;
    record.model = candidate.model;
    const holdMs = snapshot.providers.get(candidate.provider ?? '')?.cutCallHoldMs ?? null;
    if (holdMs === null || isWhole || usage?.estimated === false) {
      charged.costUsd += heldUsd;
      // a request may have several reservations
      record.heldUsd += heldUsd;
    } else {
      passing.costUsd += heldUsd;
      passing.holdMs = Math.max(passing.holdMs, holdMs);
    }
  }
}

const nothing: Use = { requests: null, tokens: null, costUsd: null };
