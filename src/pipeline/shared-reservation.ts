import type { Use } from '../accounts/caller-limits.js';
import type { Granted } from '../accounts/rate-limiter.js';

/**
 * What a request of several calls reserved of its caller's budgets at its start. Calls reserve from
 * it and give back what they did not use; only what exceeds it is reserved from the budgets.
 */
export class SharedReservation {
  private freeUsd: number;
  private usedUsd = 0;
  /** How many calls are not settled. */
  private open = 0;
  private isOver = false;

  constructor(
    private readonly granted: Granted,
    readonly totalUsd: number,
  ) {
    this.freeUsd = totalUsd;
  }

  /** The request is over: counts what its calls used, as soon as all of them are settled. */
  settle(): void {
    this.isOver = true;
    if (this.open > 0) return;
    this.granted.settle({ requests: 1, tokens: null, costUsd: this.usedUsd });
  }

  /** @param reserve called with what exceeds the free part. @throws GatewayError as it does */
  async reserve(most: Use, reserve: (use: Use) => Promise<Granted>): Promise<Granted> {
    const costUsd = most.costUsd ?? 0;
    const ownUsd = Math.min(costUsd, Math.max(0, this.freeUsd));
    const beyondUsd = costUsd > ownUsd ? costUsd - ownUsd : null;
    this.freeUsd -= ownUsd;
    this.open++;
    let isOpen = true;
    const close = (usedUsd: number): void => {
      isOpen = false;
      this.open--;
      this.freeUsd += ownUsd - usedUsd;
      this.usedUsd += usedUsd;
      if (this.isOver) this.settle();
    };
    const more = await reserve({ ...most, costUsd: beyondUsd }).catch((error: unknown) => {
      close(0);
      throw error;
    });
    const settle = (use: Use): void => {
      if (!isOpen) return;
      const paidUsd = use.costUsd ?? 0;
      const usedUsd = beyondUsd === null ? paidUsd : Math.min(ownUsd, paidUsd);
      close(usedUsd);
      more.settle({ ...use, costUsd: paidUsd - usedUsd });
    };
    return { ...more, settle };
  }
}
