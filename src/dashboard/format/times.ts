import { unknownValue } from './numbers.js';

/** A duration with its unit: `340 ms`, `1.24 s`, `2 min 5 s`. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return unknownValue;
  if (ms === 0) return '0 ms';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const day: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' };
const clock: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hour12: false };

const shown = (
  at: string | number | null | undefined,
  options: Intl.DateTimeFormatOptions,
): string =>
  at === null || at === undefined ? unknownValue : new Date(at).toLocaleString('en', options);

/** Day and time in the reader's zone. */
export const formatInstant = (at: string | number | null | undefined): string =>
  shown(at, { ...day, ...clock });

/** Day and time to the second in the reader's zone. */
export const formatSecond = (at: string | number | null | undefined): string =>
  shown(at, { ...day, ...clock, second: '2-digit' });

/** The day in the reader's zone. */
export const formatDay = (at: string | number | null | undefined): string => shown(at, day);

const steps = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** How long ago: `5 minutes ago`; under a minute `just now`. */
export function formatAgo(at: string | number | null | undefined, now = Date.now()): string {
  if (at === null || at === undefined) return unknownValue;
  const passed = new Date(at).getTime() - now;
  for (const { unit, ms } of steps)
    if (Math.abs(passed) >= ms) return relative.format(Math.round(passed / ms), unit);
  return 'just now';
}
