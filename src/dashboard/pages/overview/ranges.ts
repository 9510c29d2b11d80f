const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How far back the overview looks. */
export const ranges = {
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
} as const;

export type Range = keyof typeof ranges;

/** The range that the address names; a day if it names none. */
export const rangeOf = (name: string | undefined): Range =>
  name !== undefined && Object.hasOwn(ranges, name) ? (name as Range) : '24h';

/** How often a range is asked for again: as often as its points can change visibly. */
export const refreshMs = (range: Range): number =>
  Math.min(minuteMs, Math.max(5_000, ranges[range] / 2_000));

/** A change against the time before. */
export interface Change {
  /** `+12%`, or in points of a percentage. */
  readonly text: string;
  readonly direction: 'up' | 'down' | 'same';
}

/** Relative change; null: there was nothing before. */
export function relativeChange(now: number | null, before: number | null): Change | null {
  if (now === null || before === null || before === 0) return null;
  const share = now / before - 1;
  const percent = Math.abs(share) * 100;
  if (percent < 0.5) return { text: '0%', direction: 'same' };
  const shown = percent >= 1_000 ? '>999' : percent.toFixed(percent < 10 ? 1 : 0);
  return { text: `${share > 0 ? '+' : '−'}${shown}%`, direction: share > 0 ? 'up' : 'down' };
}

/** Change of a share, in percentage points; null: one of them is unknown. */
export function pointsChange(now: number | null, before: number | null): Change | null {
  if (now === null || before === null) return null;
  const points = (now - before) * 100;
  if (Math.abs(points) < 0.05) return { text: '0 pt', direction: 'same' };
  return {
    text: `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pt`,
    direction: points > 0 ? 'up' : 'down',
  };
}

/** Errors per request; null without requests. */
export const errorRate = ({
  requests,
  errors,
}: {
  readonly requests: number;
  readonly errors: number;
}): number | null => (requests === 0 ? null : errors / requests);
