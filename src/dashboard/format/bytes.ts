const units = ['B', 'kB', 'MB', 'GB'] as const;

/** A size with its unit, in steps of a thousand: `25 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)));
  const value = bytes / 1_000 ** step;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[step] ?? 'B'}`;
}
