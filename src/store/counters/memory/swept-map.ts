/** A map whose entries go when they are over: every look at it checks one of the others too, so that it holds little more than what lives. */
export class SweptMap<V> {
  private readonly entries = new Map<string, V>();
  private turn = this.entries.entries();

  constructor(private readonly isOver: (value: V) => boolean) {}

  /** How many there are, over or not. */
  get size(): number {
    return this.entries.size;
  }

  /** The value as it was put there, even if it is over. */
  get(key: string): V | undefined {
    this.sweepOne();
    return this.entries.get(key);
  }

  set(key: string, value: V): void {
    // twice as fast as it can grow
    this.sweepOne();
    this.sweepOne();
    this.entries.set(key, value);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  private sweepOne(): void {
    const next = this.turn.next();
    if (next.done) this.turn = this.entries.entries();
    else if (this.isOver(next.value[1])) this.entries.delete(next.value[0]);
  }
}
