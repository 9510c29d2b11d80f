import { invalidField } from '../../errors.js';
import { periodTiers } from '../../store/contracts/periods.js';
import { type WithQuery, choiceParameter, spanParameters } from '../query.js';
import { isoOf } from '../shown-fields.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** More points than a chart has room for are of no use. */
const maxPoints = 200;
const defaultSpanMs = dayMs;

/** A time range, cut into intervals. All in ms. */
export interface SeriesSpan {
  /** A multiple of the interval. */
  readonly from: number;
  /** Exclusive; a multiple of the interval. */
  readonly to: number;
  readonly intervalMs: number;
  readonly points: number;
}

/** What intervals a series can have, by the names that the parameter `interval` takes. */
export interface Intervals {
  readonly byName: Readonly<Record<string, number>>;
  /** The shortest interval for a range that begins at `from`. */
  minMs(from: number): number;
}

/** Those of figures that are read from the sums of periods. */
export const periodIntervals: Intervals = {
  byName: {
    '1m': minuteMs,
    '5m': 5 * minuteMs,
    '10m': 10 * minuteMs,
    '30m': 30 * minuteMs,
    '1h': hourMs,
    '3h': 3 * hourMs,
    '6h': 6 * hourMs,
    '1d': dayMs,
  },
  minMs(from) {
    const age = Date.now() - from;
    return periodTiers.find(({ keptMs }) => age <= keptMs)?.spanMs ?? dayMs;
  },
};

/** Those of figures that are read from the requests themselves. */
export const requestIntervals: Intervals = {
  byName: {
    '1s': secondMs,
    '5s': 5 * secondMs,
    '10s': 10 * secondMs,
    '30s': 30 * secondMs,
    ...periodIntervals.byName,
    '7d': 7 * dayMs,
  },
  minMs: () => secondMs,
};

/**
 * The range that `from`, `to` and `interval` name, by default the last day in the shortest interval
 * that makes at most 200 points. Its ends are moved outwards to multiples of the interval.
 * @throws GatewayError `validation_failed` that names the parameter
 */
export function seriesSpan(asked: WithQuery, { byName, minMs }: Intervals): SeriesSpan {
  const named = spanParameters(asked);
  const to = named.to ?? Math.max(Date.now() + 1, (named.from ?? 0) + 1);
  const from = Math.max(0, named.from ?? to - defaultSpanMs);
  const name = choiceParameter(asked, 'interval', Object.keys(byName));
  const intervalMs = byName[name ?? ''] ?? shortest(byName, to - from, minMs(from));
  if (intervalMs < minMs(from))
    throw invalidField('interval', 'is shorter than figures of that age are kept');
  const start = Math.floor(from / intervalMs) * intervalMs;
  const end = Math.ceil(to / intervalMs) * intervalMs;
  const points = (end - start) / intervalMs;
  // one more: both ends may be within an interval
  if (points > maxPoints + 1)
    throw invalidField(
      'interval',
      `makes ${points} points of this time range; at most ${maxPoints} are possible`,
    );
  return { from: start, to: end, intervalMs, points };
}

/** A range as the API returns it, with the start of each interval. */
export const shownSpan = ({ from, to, intervalMs, points }: SeriesSpan) => ({
  from: isoOf(from),
  to: isoOf(to),
  intervalSeconds: intervalMs / 1_000,
  times: Array.from({ length: points }, (_, point) => isoOf(from + point * intervalMs)),
});

function shortest(byName: Intervals['byName'], spanMs: number, minMs: number): number {
  const all = Object.values(byName);
  const longest = Math.max(...all);
  return all.find((ms) => ms >= minMs && spanMs / ms <= maxPoints) ?? longest;
}
