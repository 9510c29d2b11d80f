/**
 * Keeps what was found for names: the last `size` of them at least, and twice as many at most. A
 * name that is asked for again and again stays. It keeps no exact order of use, which would cost
 * more than the look-up: a plan of forty candidates makes hundreds.
 */
export class NameCache<Value> {
  private recent = new Map<string, Value>();
  private earlier = new Map<string, Value>();

  constructor(private readonly size: number) {}

  get(name: string): Value | undefined {
    const found = this.recent.get(name);
    if (found !== undefined) return found;
    const before = this.earlier.get(name);
    if (before !== undefined) this.set(name, before);
    return before;
  }

  /** What is kept for a name, else what is made for it. */
  of(name: string, make: (name: string) => Value): Value {
    let value = this.get(name);
    if (value === undefined) this.set(name, (value = make(name)));
    return value;
  }

  set(name: string, value: Value): void {
    if (this.recent.size >= this.size) {
      this.earlier = this.recent;
      this.recent = new Map();
    }
    this.recent.set(name, value);
  }
}
