/**
 * An approximate LRU cache: keeps at least the `size` names that were used last, and at most twice
 * as many. An exact order of use would cost more than the look-up: a plan of forty candidates makes
 * hundreds.
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

  /** The cached value of a name; makes and caches it if there is none. */
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
