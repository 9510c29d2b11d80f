import { hash } from 'node:crypto';

interface RingKey {
  readonly value: string | null;
  /** The start of its hash, by which other processes know it. */
  readonly fingerprint: string;
}

/** The keys of one provider or search engine in rotation. */
export class KeyRing {
  private readonly keys: RingKey[];
  private turn = 0;
  /** The fingerprints of the keys, in order. */
  readonly marks: readonly string[];

  /** @param values empty: calls are made without a key (local servers, ambient credentials) */
  constructor(values: readonly string[]) {
    this.keys = (values.length > 0 ? values : [null]).map((value) => ({
      value,
      fingerprint: hash('sha256', value ?? '').slice(0, 16),
    }));
    this.marks = this.keys.map(({ fingerprint }) => fingerprint);
  }

  get size(): number {
    return this.keys.length;
  }

  /** The fingerprint of a key; '' for a key that is not in the ring. */
  markOf(value: string | null): string {
    return this.keys.find((key) => key.value === value)?.fingerprint ?? '';
  }

  /** Which of several keys it is, from 1; null: there is only one. */
  indexOf(value: string | null): number | null {
    if (this.keys.length === 1) return null;
    return this.keys.findIndex((key) => key.value === value) + 1;
  }

  /**
   * A key that does not rest and is not in `tried`: always the same one for an affinity, so that a
   * conversation finds its prompt in the provider's cache; else the next in turn. Where all rest, the
   * one whose rest ends first.
   * @param affinity identifies the account and its conversation; called only where there is a choice
   * @param restUntil when the rest of a key ends, by its fingerprint; 0: it does not rest. Null: none does
   */
  next(
    tried: readonly (string | null)[] = [],
    affinity: (() => string) | null = null,
    restUntil: ((mark: string) => number) | null = null,
  ): string | null {
    if (this.keys.length === 1) return this.keys[0]!.value;
    const untried = this.keys.filter((key) => !tried.includes(key.value));
    const pool = untried.length > 0 ? untried : this.keys;
    const endOf = ({ fingerprint }: RingKey): number => restUntil?.(fingerprint) ?? 0;
    const available = pool.filter((key) => endOf(key) === 0);
    if (affinity && available.length > 0) return highestFor(affinity(), available).value;
    this.turn = (this.turn + 1) % this.keys.length;
    if (available.length > 0)
      return (available.find((key) => this.keys.indexOf(key) >= this.turn) ?? available[0]!).value;
    return pool.reduce((best, key) => (endOf(key) < endOf(best) ? key : best)).value;
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
