import { GatewayError } from '../../errors.js';
import { type LearningScope, scopeKey } from '../../store/contracts/learnings.js';

/** Stores ratings of one scope in one transaction, all or none. */
export type ApplyRatings<T> = (scope: LearningScope, ratings: readonly T[]) => Promise<void>;

interface Waiting<T> {
  readonly rating: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface ScopeRatings<T> {
  readonly scope: LearningScope;
  readonly waiting: Waiting<T>[];
}

/** Ratings in one transaction: others wait for the rows that it locks. */
const maxBatch = 100;

/**
 * Ratings on their way to the database, one transaction at a time: in the database each would wait
 * for the one before it anyway, and block a connection that requests could use. Ratings of one
 * scope that came meanwhile share a transaction; scopes take turns.
 */
export class RatingQueue<T> {
  /** Scopes with ratings that no transaction has taken yet. */
  private readonly scopes = new Map<string, ScopeRatings<T>>();
  private isApplying = false;

  constructor(private readonly apply: ApplyRatings<T>) {}

  /**
   * Resolves when the rating is stored. Rejects as `apply` does for the ratings in its transaction;
   * while the database is away, for all that wait.
   */
  add(scope: LearningScope, rating: T): Promise<void> {
    return new Promise((resolve, reject) => {
      const key = scopeKey(scope);
      const waiting: Waiting<T> = { rating, resolve, reject };
      const known = this.scopes.get(key);
      if (known) known.waiting.push(waiting);
      else this.enqueue(key, { scope, waiting: [waiting] });
    });
  }

  private enqueue(key: string, ratings: ScopeRatings<T>): void {
    this.scopes.set(key, ratings);
    if (!this.isApplying) void this.applyAll();
  }

  /** Each rating is tried once, and its sender gets the error. Scopes that come meanwhile follow. */
  private async applyAll(): Promise<void> {
    this.isApplying = true;
    for (const [key, ratings] of this.scopes) await this.applyNext(key, ratings);
    this.isApplying = false;
  }

  /** Never rejects. */
  private async applyNext(key: string, { scope, waiting }: ScopeRatings<T>): Promise<void> {
    this.scopes.delete(key);
    // what is too much for one transaction goes behind the other scopes
    if (waiting.length > maxBatch) this.enqueue(key, { scope, waiting: waiting.slice(maxBatch) });
    const batch = waiting.slice(0, maxBatch);
    try {
      await this.apply(
        scope,
        batch.map(({ rating }) => rating),
      );
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      // otherwise each scope would wait for the timeout of the database, one after the other
      if (error instanceof GatewayError && error.code === 'unavailable') this.rejectAll(error);
    }
  }

  private rejectAll(error: GatewayError): void {
    const scopes = [...this.scopes.values()];
    this.scopes.clear();
    for (const { waiting } of scopes) for (const { reject } of waiting) reject(error);
  }
}
