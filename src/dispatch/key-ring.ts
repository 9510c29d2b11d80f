import { hash } from 'node:crypto';

/** The cooldown of a key that the provider refused, in ms; after that it is tried again. */
export const refusedCooldownMs = 10 * 60_000;
/** No cooldown is longer, whatever the provider asks for: its answer may be absurd. */
export const maxCooldownMs = 86_400_000;
interface RingKey {
  readonly value: string | null;
  /** The start of its hash, by which other processes know it. */
  readonly fingerprint: string;
  /** The end of its cooldown, in ms of the ring's own monotonic clock. */
  cooldownUntil: number;
}

/** The keys of one provider in rotation. Keys that were refused or rate-limited have a cooldown. */
export class KeyRing {
  private readonly keys: RingKey[];
  private turn = 0;
  /** The fingerprints of the keys, in order. */
  readonly marks: readonly string[];

  /**
   * @param values the keys; empty: calls are made without one (local servers, ambient credentials)
   * @param now in ms; must never go back
   */
  constructor(
    values: readonly string[],
    private readonly now: () => number = () => performance.now(),
  ) {
    this.keys = (values.length > 0 ? values : [null]).map((value) => ({
      value,
      fingerprint: hash('sha256', value ?? '').slice(0, 16),
      cooldownUntil: 0,
    }));
    this.marks = this.keys.map(({ fingerprint }) => fingerprint);
  }

  /** The number of keys. */
  get size(): number {
    return this.keys.length;
  }

  /** The fingerprint of a key. */
  markOf(value: string | null): string {
    return this.keys.find((key) => key.value === value)?.fingerprint ?? '';
  }

  /** Which of several keys it is, from 1; null: there is only one. */
  indexOf(value: string | null): number | null {
    if (this.keys.length === 1) return null;
    return this.keys.findIndex((key) => key.value === value) + 1;
  }

  /**
   * A key that has no cooldown and is not in `tried`: always the same one for an affinity, so that a
   * conversation finds its prompt in the provider's cache; else the next in turn. Where all have a
   * cooldown, the one whose cooldown ends first.
   * @param affinity identifies the account and its conversation; called only where there is a choice
   * @param rests whether a key rests for another reason than a cooldown here, by its fingerprint
   */
  next(
    tried: readonly (string | null)[] = [],
    affinity: (() => string) | null = null,
    rests: ((mark: string) => boolean) | null = null,
  ): string | null {
    if (this.keys.length === 1) return this.keys[0]!.value;
    const untried = this.keys.filter((key) => !tried.includes(key.value));
    const pool = untried.length > 0 ? untried : this.keys;
    const time = this.now();
    const available = pool.filter(
      ({ cooldownUntil, fingerprint }) => cooldownUntil <= time && !rests?.(fingerprint),
    );
    if (affinity && available.length > 0) return highestFor(affinity(), available).value;
    this.turn = (this.turn + 1) % this.keys.length;
    if (available.length > 0)
      return (available.find((key) => this.keys.indexOf(key) >= this.turn) ?? available[0]!).value;
    return pool.reduce((best, key) => (key.cooldownUntil < best.cooldownUntil ? key : best)).value;
  }

  /** True if a key has no cooldown. */
  hasAvailable(): boolean {
    const time = this.now();
    return this.keys.some((key) => key.cooldownUntil <= time);
  }

  /** Starts a key's cooldown, of a day at most. @param forMs `refused`: ten minutes */
  startCooldown(value: string | null, forMs: number | 'refused'): void {
    const ms = forMs === 'refused' ? refusedCooldownMs : Math.min(forMs, maxCooldownMs);
    for (const key of this.keys) if (key.value === value) key.cooldownUntil = this.now() + ms;
  }

  /** Applies the cooldowns of another ring to the same keys here, where those are longer. */
  inheritCooldowns(other: KeyRing): void {
    for (const key of this.keys) {
      const known = other.keys.find(({ fingerprint }) => fingerprint === key.fingerprint);
      const until = this.now() + (known?.cooldownUntil ?? 0) - other.now();
      key.cooldownUntil = Math.max(key.cooldownUntil, until);
    }
  }
}

/**
 * Rendezvous hashing: while a key rests, only its own conversations move, and they spread over the
 * others. The fingerprint keeps clients from computing which key they get.
 */
const highestFor = (affinity: string, keys: readonly RingKey[]): RingKey =>
  keys
    .map((key) => ({ key, weight: hash('sha256', `${key.fingerprint}\0${affinity}`) }))
    .reduce((best, other) => (other.weight > best.weight ? other : best)).key;
