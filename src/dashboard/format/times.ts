import { ifKnown } from './numbers.js';

/** A duration with its unit: `340 ms`, `1.24 s`, `2 min`, `2 min 5 s`. */
export const formatMs = ifKnown((ms: number) => {
  if (ms === 0) return '0 ms';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
});

const day: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' };
const clock: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

const shown = (options: Intl.DateTimeFormatOptions) =>
  ifKnown((at: string | number) => new Date(at).toLocaleString('en', options));

/** Day and time in the reader's zone. */
export const formatInstant = shown({ ...day, ...clock });

/** Day and time to the second in the reader's zone. */
export const formatSecond = shown({ ...day, ...clock, second: '2-digit' });

const clockOn = (at: string | number, now: number, parts: Intl.DateTimeFormatOptions): string => {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return shown({ ...(isToday ? {} : { month: 'short', day: 'numeric' }), ...clock, ...parts })(at);
};

/** The clock to the ms in the reader's zone, with the day where that is not today. */
export const formatClock = (at: string | number, now = Date.now()): string =>
  clockOn(at, now, { second: '2-digit', fractionalSecondDigits: 3 });

/** The clock to the second in the reader's zone, with the day where that is not today. */
export const formatUntil = (at: string | number, now = Date.now()): string =>
  clockOn(at, now, { second: '2-digit' });

/** The day in the reader's zone. */
export const formatDay = shown(day);

/** Distances of durations on an axis, in ms: round in their units. */
export const durationSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5,
];

const steps = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** How long ago: `5 minutes ago`; under a minute `just now`. */
export const formatAgo = ifKnown((at: string | number) => {
  const passed = new Date(at).getTime() - Date.now();
  for (const { unit, ms } of steps)
    if (Math.abs(passed) >= ms) return relative.format(Math.trunc(passed / ms), unit);
  return 'just now';
});
