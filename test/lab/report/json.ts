function toPlain(_key: string, value: unknown): unknown {
  if (value instanceof Float64Array) return Array.from(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  return value === Infinity ? 'never' : null;
}

/**
 * An evaluation as JSON. A cost at which a score is never reached is `"never"`; a figure that does
 * not apply is null.
 */
export function asJson(evaluation: object): string {
  return `${JSON.stringify(evaluation, toPlain, 1)}\n`;
}
