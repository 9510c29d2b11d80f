function plain(_key: string, value: unknown): unknown {
  if (value instanceof Float64Array) return Array.from(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  return value === Infinity ? 'never' : null;
}

/** All that was measured as JSON. A cost at which something is never reached is `"never"`, a figure that there is not is null. */
export function asJson(value: object): string {
  return `${JSON.stringify(value, plain, 1)}\n`;
}
