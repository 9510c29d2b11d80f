/** A map that drops what was set longest ago beyond a number of entries. */
export class BoundedMap<V> {
  private readonly entries = new Map<string, V>();

  constructor(private readonly max: number) {}

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.max) this.entries.delete(this.entries.keys().next().value ?? '');
  }
}
