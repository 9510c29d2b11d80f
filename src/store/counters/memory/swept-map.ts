/** A map that forgets what has expired: each access also checks one other entry. */
export class SweptMap<V> {
  private readonly entries = new Map<string, V>();
  private turn = this.entries.entries();

  constructor(private readonly isExpired: (value: V) => boolean) {}

  /** How many entries there are, expired ones included. */
  get size(): number {
    return this.entries.size;
  }

  /** The value, even if it has expired. */
  peek(key: string): V | undefined {
    this.sweepOne();
    return this.entries.get(key);
  }

  get(key: string): V | undefined {
    const value = this.peek(key);
    return value === undefined || this.isExpired(value) ? undefined : value;
  }

  set(key: string, value: V): void {
    // removes twice as fast as it can grow
    this.sweepOne();
    this.sweepOne();
    this.entries.set(key, value);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  /** Removes the entry that was set first. */
  dropOldest(): void {
    const { value: oldest, done } = this.entries.keys().next();
    if (!done) this.entries.delete(oldest);
  }

  private sweepOne(): void {
    const next = this.turn.next();
    if (next.done) this.turn = this.entries.entries();
    else if (this.isExpired(next.value[1])) this.entries.delete(next.value[0]);
  }
}
