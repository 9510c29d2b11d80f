import { createHash } from 'node:crypto';

/** What every provider accepts. */
const maxLength = 64;
const hashLength = 8;

/**
 * The name under which models know a tool: `<toolkit>__<tool>`. Where that is too long or has other
 * characters than letters, digits, `_` and `-`, it is cut and ends with a hash, so that different
 * tools have different names and a tool always has the same.
 */
export function toolNameOf(toolkit: string, tool: string): string {
  const full = `${toolkit}__${tool}`;
  const allowed = full.replace(/[^A-Za-z0-9_-]/g, '_');
  if (allowed === full && full.length <= maxLength) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, hashLength);
  return `${allowed.slice(0, maxLength - hashLength - 1)}_${hash}`;
}
