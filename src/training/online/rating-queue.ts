import { GatewayError } from '../../errors.js';
import type { LearningScope } from '../../store/contracts/learnings.js';

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

/** Ratings that are applied at once: others wait for what they lock. */
const mostAtOnce = 100;

/**
 * Ratings on their way into the database, one transaction at a time: each would wait for the one before it there too, with a connection that
 * requests could use. Those of one scope that have come in meanwhile go together; scopes take turns.
 */
export class RatingQueue<T> {
  private readonly scopes = new Map<string, ScopeRatings<T>>();
  private isApplying = false;

  constructor(private readonly apply: ApplyRatings<T>) {}

  /** Resolves when the rating is stored. Rejects as `apply` does for the ratings that it went with; while the database is away, for all that wait. */
  add(scope: LearningScope, rating: T): Promise<void> {
    return new Promise((resolve, reject) => {
      const key = `${scope.accountId} ${scope.preferenceId}`;
      const waiting: Waiting<T> = { rating, resolve, reject };
      const known = this.scopes.get(key);
      if (known) known.waiting.push(waiting);
      else this.scopes.set(key, { scope, waiting: [waiting] });
      if (!this.isApplying) void this.workOff();
    });
  }

  private async workOff(): Promise<void> {
    this.isApplying = true;
    for (let next = this.take(); next; next = this.take()) await this.applyAll(next);
    this.isApplying = false;
  }

  /** The scope that has waited longest; what is too much for once goes behind the others. */
  private take(): ScopeRatings<T> | null {
    const [first] = this.scopes;
    if (!first) return null;
    const [key, { scope, waiting }] = first;
    this.scopes.delete(key);
    if (waiting.length > mostAtOnce)
      this.scopes.set(key, { scope, waiting: waiting.slice(mostAtOnce) });
    return { scope, waiting: waiting.slice(0, mostAtOnce) };
  }

  private async applyAll({ scope, waiting }: ScopeRatings<T>): Promise<void> {
    try {
      await this.apply(
        scope,
        waiting.map(({ rating }) => rating),
      );
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      // each of them would wait for the database as long, one after the other
      if (error instanceof GatewayError && error.code === 'unavailable') this.rejectAll(error);
    }
  }

  private rejectAll(error: GatewayError): void {
    const scopes = [...this.scopes.values()];
    this.scopes.clear();
    for (const { waiting } of scopes) for (const { reject } of waiting) reject(error);
  }
}
