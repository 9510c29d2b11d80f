import type { ResearchClock } from './research-clock.js';
import type { ResearchBudget } from './research-effort.js';

/** What may end a run. */
export type BudgetLimit = 'steps' | 'time' | 'cost' | 'tokens';

/** What a step uses. */
export interface Spending {
  readonly steps: number;
  readonly tokens: number;
  /** Null: unknown, and counted as nothing. */
  readonly costUsd: number | null;
}

/** Part of a budget that belongs to one step until it is settled. */
export interface BudgetReservation {
  /** Counts what the step really used. Later calls do nothing. */
  settle(actual: Spending): void;
  /** Counts all that was reserved, because what a provider bills for a failed call is unknown. */
  settleAtMost(): void;
}

/** Tolerance for sums of prices, which are floating-point numbers. */
const epsilonUsd = 1e-9;

const nothing: Spending = { steps: 0, tokens: 0, costUsd: 0 };

const valid = (value: number): boolean => Number.isFinite(value) && value >= 0;

/**
 * The budget of one run, shared by all that it does in parallel. What a step may use at most is
 * reserved before it begins, so that sums never exceed the budget. A part is set aside for writing
 * the answer.
 */
export class BudgetLedger {
  private readonly startedAt: number;
  private used = { steps: 0, tokens: 0, costUsd: 0 };
  private reserved = { steps: 0, tokens: 0, costUsd: 0 };
  private isCostKnown = true;
  private aside: Spending = nothing;
  private asideMs = 0;
  private open = 0;
  private readonly waiting = new Set<() => void>();
  /** What ended the run first; null: nothing did. */
  stoppedBy: BudgetLimit | null = null;

  constructor(
    private readonly budget: ResearchBudget,
    private readonly clock: ResearchClock,
  ) {
    this.startedAt = clock.now();
  }

  /** What was used. A cost of null: a part of it is unknown. */
  get spent(): Spending & { readonly ms: number } {
    const { steps, tokens, costUsd } = this.used;
    const ms = this.clock.now() - this.startedAt;
    return { steps, tokens, costUsd: this.isCostKnown ? costUsd : null, ms };
  }

  /** Time until the work must end; after `release`, until the run must end. */
  get msLeft(): number {
    const total = this.budget.maxSeconds * 1_000 - this.asideMs;
    return Math.max(0, this.startedAt + total - this.clock.now());
  }

  /** What is neither used nor reserved nor set aside. */
  get left(): { steps: number; tokens: number; costUsd: number } {
    const { maxSteps, maxTokens, maxCostUsd } = this.budget;
    const { used, reserved, aside } = this;
    return {
      steps: maxSteps - used.steps - reserved.steps - aside.steps,
      tokens: maxTokens - used.tokens - reserved.tokens - aside.tokens,
      costUsd: (maxCostUsd ?? Infinity) - used.costUsd - reserved.costUsd - (aside.costUsd ?? 0),
    };
  }

  /** Keeps a part for writing the answer. */
  setAside(aside: Spending, ms: number): void {
    this.aside = aside;
    this.asideMs = ms;
  }

  /** Opens what was set aside. */
  release(): void {
    this.setAside(nothing, 0);
  }

  /** Says what ends the run, unless something did before. */
  stop(limit: BudgetLimit): void {
    this.stoppedBy ??= limit;
  }

  /** What prevents a step now; null: nothing. */
  shortOf(most: Spending): BudgetLimit | null {
    const { steps, tokens, costUsd } = this.left;
    if (this.msLeft <= 0) return 'time';
    // written so that NaN does not pass
    if (!(most.steps <= steps)) return 'steps';
    if (!((most.costUsd ?? 0) <= costUsd + epsilonUsd)) return 'cost';
    return most.tokens <= tokens ? null : 'tokens';
  }

  /** Reserves at once. @returns null if the budget does not allow it */
  take(most: Spending): BudgetReservation | null {
    if (this.shortOf(most) !== null) return null;
    this.add(this.reserved, most, 1);
    this.open++;
    let isOpen = true;
    const settle = (actual: Spending): void => {
      if (!isOpen) return;
      isOpen = false;
      this.settle(most, actual);
    };
    return { settle, settleAtMost: () => settle(most) };
  }

  /**
   * Reserves for a step. Where the budget does not allow it, waits for steps in progress, which
   * often use less than they reserved. A step must not wait for a second reservation while it has
   * one.
   * @returns null if the budget does not allow it; `stoppedBy` is then set
   * @throws the reason of the signal
   */
  async reserve(most: Spending, signal: AbortSignal): Promise<BudgetReservation | null> {
    for (;;) {
      signal.throwIfAborted();
      const limit = this.shortOf(most);
      if (limit === null) return this.take(most);
      if (this.open === 0) {
        this.stop(limit);
        return null;
      }
      await this.nextSettlement(signal);
    }
  }

  private settle(most: Spending, { steps, tokens, costUsd }: Spending): void {
    this.add(this.reserved, most, -1);
    this.open--;
    const actual = {
      steps: valid(steps) ? steps : most.steps,
      tokens: valid(tokens) ? tokens : most.tokens,
      costUsd: costUsd === null || valid(costUsd) ? costUsd : most.costUsd,
    };
    // what is unknown may be as much as was reserved
    if (actual.costUsd === null) {
      actual.costUsd = most.costUsd;
      if (actual.costUsd === null) this.isCostKnown = false;
    }
    this.add(this.used, actual, 1);
    if (this.open === 0) this.reserved = { steps: 0, tokens: 0, costUsd: 0 };
    const woken = [...this.waiting];
    this.waiting.clear();
    for (const wake of woken) wake();
  }

  private add(to: typeof this.used, { steps, tokens, costUsd }: Spending, sign: 1 | -1): void {
    to.steps += sign * steps;
    to.tokens += sign * tokens;
    to.costUsd += sign * (costUsd ?? 0);
  }

  private nextSettlement(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
