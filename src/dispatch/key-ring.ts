import { hash } from 'node:crypto';

/** The cooldown of a key that the provider refused, in ms; after that it is tried again. */
const refusedCooldownMs = 10 * 60_000;
/** No cooldown is longer, whatever the provider asks for: its answer may be absurd. */
export const maxCooldownMs = 86_400_000;
/** A cooldown that is extended by less than this is not reported again. */
const minReportedExtensionMs = 1_000;

interface RingKey {
  readonly value: string | null;
  /** The start of its hash, by which other processes know it. */
  readonly fingerprint: string;
  /** The end of its cooldown, in ms of the ring's own monotonic clock. */
  cooldownUntil: number;
  why: CooldownReason;
}

/** Why a key rests; `elsewhere`: another process, or an earlier configuration, says so. */
export type CooldownReason = 'refused' | 'rate_limited' | 'elsewhere';

/** A key that rests. */
export interface Cooldown {
  readonly leftMs: number;
  readonly why: CooldownReason;
}

/** The keys of one provider in rotation. Keys that were refused or rate-limited have a cooldown. */
export class KeyRing {
  private readonly keys: RingKey[];
  private turn = 0;

  /**
   * @param values the keys; empty: calls are made without one (local servers, ambient credentials)
   * @param now in ms; must never go back
   * @param onCooldown receives each cooldown that `startCooldown` starts
   */
  constructor(
    values: readonly string[],
    private readonly now: () => number = () => performance.now(),
    private readonly onCooldown: (fingerprint: string, forMs: number) => void = () => undefined,
  ) {
    this.keys = (values.length > 0 ? values : [null]).map((value) => ({
      value,
      fingerprint: hash('sha256', value ?? '').slice(0, 16),
      cooldownUntil: 0,
      why: 'elsewhere',
    }));
  }

  /** The number of keys. */
  get size(): number {
    return this.keys.length;
  }

  /** Which of several keys it is, from 1; null: there is only one. */
  indexOf(value: string | null): number | null {
    if (this.keys.length === 1) return null;
    return this.keys.findIndex((key) => key.value === value) + 1;
  }

  /**
   * The next key in turn that has no cooldown and is not in `tried`. Where all have a cooldown, the
   * one whose cooldown ends first.
   */
  next(tried: readonly (string | null)[] = []): string | null {
    if (this.keys.length === 1) return this.keys[0]!.value;
    const untried = this.keys.filter((key) => !tried.includes(key.value));
    const pool = untried.length > 0 ? untried : this.keys;
    const time = this.now();
    const available = pool.filter((key) => key.cooldownUntil <= time);
    this.turn = (this.turn + 1) % this.keys.length;
    if (available.length > 0) return this.inTurn(available).value;
    return pool.reduce((best, key) => (key.cooldownUntil < best.cooldownUntil ? key : best)).value;
  }

  /** True if a key has no cooldown. */
  hasAvailable(): boolean {
    const time = this.now();
    return this.keys.some((key) => key.cooldownUntil <= time);
  }

  /** Starts a key's cooldown, of a day at most, and reports it. @param forMs `refused`: ten minutes */
  startCooldown(value: string | null, forMs: number | 'refused'): void {
    const key = this.keys.find((candidate) => candidate.value === value);
    if (!key) return;
    const time = this.now();
    const before = Math.max(time, key.cooldownUntil);
    const ms = forMs === 'refused' ? refusedCooldownMs : Math.min(forMs, maxCooldownMs);
    key.cooldownUntil = time + ms;
    key.why = forMs === 'refused' ? 'refused' : 'rate_limited';
    if (before === time || key.cooldownUntil > before + minReportedExtensionMs)
      this.onCooldown(key.fingerprint, ms);
  }

  /** Applies a cooldown that started elsewhere; never shortens one, and reports nothing. */
  applyCooldown(fingerprint: string, forMs: number, why: CooldownReason = 'elsewhere'): void {
    const until = this.now() + forMs;
    for (const key of this.keys) {
      if (key.fingerprint !== fingerprint || until <= key.cooldownUntil) continue;
      // this process hears of its own cooldowns too, a moment later
      if (until > key.cooldownUntil + minReportedExtensionMs) key.why = why;
      key.cooldownUntil = until;
    }
  }

  /** Applies the cooldowns of another ring to the same keys here. */
  inheritCooldowns(other: KeyRing): void {
    for (const { fingerprint, cooldownUntil, why } of other.keys)
      this.applyCooldown(fingerprint, cooldownUntil - other.now(), why);
  }

  /** The keys that rest, without telling which they are. */
  cooldowns(): Cooldown[] {
    const time = this.now();
    return this.keys
      .filter(({ cooldownUntil }) => cooldownUntil > time)
      .map(({ cooldownUntil, why }) => ({ leftMs: cooldownUntil - time, why }));
  }

  private inTurn(available: RingKey[]): RingKey {
    for (let step = 0; step < this.keys.length; step++) {
      const key = this.keys[(this.turn + step) % this.keys.length]!;
      if (available.includes(key)) return key;
    }
    return available[0]!;
  }
}
