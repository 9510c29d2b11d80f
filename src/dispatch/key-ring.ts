import { hash } from 'node:crypto';

/** How long a key that the provider refused is left alone, in ms; after that it is tried again. */
const refusedForMs = 10 * 60_000;
/** So much more time for a key that is aside already is not worth telling. */
const sameMs = 1_000;

interface RingKey {
  readonly value: string | null;
  /** By which other processes know it: the start of its hash. */
  readonly mark: string;
  /** Until when the key is set aside, in ms by the ring's own clock, which nobody sets back. */
  asideUntil: number;
}

/** The keys of one provider in rotation. A key that was refused is set aside for ten minutes, a rate-limited one until its time. */
export class KeyRing {
  private readonly keys: RingKey[];
  private turn = 0;

  /**
   * @param values the keys; none: calls are made without one (local servers, ambient credentials)
   * @param onSetAside hears of a key that `setAside` has set aside, by its mark
   */
  constructor(
    values: readonly string[],
    private readonly now: () => number = () => performance.now(),
    private readonly onSetAside: (mark: string, forMs: number) => void = () => undefined,
  ) {
    this.keys = (values.length > 0 ? values : [null]).map((value) => ({
      value,
      mark: hash('sha256', value ?? '').slice(0, 16),
      asideUntil: 0,
    }));
  }

  /** How many different keys there are to try. */
  get size(): number {
    return this.keys.length;
  }

  /** The next key in turn that is not set aside and not in `tried`; where all are aside, the one that comes back first. */
  next(tried: readonly (string | null)[] = []): string | null {
    if (this.keys.length === 1) return this.keys[0]!.value;
    const untried = this.keys.filter((key) => !tried.includes(key.value));
    const pool = untried.length > 0 ? untried : this.keys;
    const time = this.now();
    const live = pool.filter((key) => key.asideUntil <= time);
    this.turn = (this.turn + 1) % this.keys.length;
    if (live.length > 0) return this.inTurn(live).value;
    return pool.reduce((best, key) => (key.asideUntil < best.asideUntil ? key : best)).value;
  }

  /** True if a key is there to be tried at once. */
  hasFree(): boolean {
    const time = this.now();
    return this.keys.some((key) => key.asideUntil <= time);
  }

  /** Sets a key aside: `refused` for ten minutes, or for a stated time in ms. */
  setAside(value: string | null, forMs: number | 'refused'): void {
    const key = this.keys.find((candidate) => candidate.value === value);
    if (!key) return;
    const time = this.now();
    const before = Math.max(time, key.asideUntil);
    const ms = forMs === 'refused' ? refusedForMs : forMs;
    key.asideUntil = time + ms;
    if (before === time || key.asideUntil > before + sameMs) this.onSetAside(key.mark, ms);
  }

  /** Sets a key aside of which another process has learned that; never for a shorter time than it is already. */
  setAsideByMark(mark: string, forMs: number): void {
    for (const key of this.keys)
      if (key.mark === mark) key.asideUntil = Math.max(key.asideUntil, this.now() + forMs);
  }

  /** Keeps those keys aside that another ring has set aside. */
  takeOver(other: KeyRing): void {
    for (const { mark, asideUntil } of other.keys)
      this.setAsideByMark(mark, asideUntil - other.now());
  }

  private inTurn(live: RingKey[]): RingKey {
    for (let step = 0; step < this.keys.length; step++) {
      const key = this.keys[(this.turn + step) % this.keys.length]!;
      if (live.includes(key)) return key;
    }
    return live[0]!;
  }
}
