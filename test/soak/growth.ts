/** One look at a process. */
export interface Sample {
  /** Since the start. */
  readonly seconds: number;
  readonly rssMb: number;
  /** After a collection of garbage. */
  readonly heapMb: number;
  /** Buffers and other memory beside the heap. */
  readonly externalMb: number;
  readonly handles: number;
  readonly fds: number;
}

export type Measure = Exclude<keyof Sample, 'seconds'>;

/** How a measure moved after the warm-up. */
export interface Growth {
  readonly measure: Measure;
  readonly mean: number;
  /** What the fitted line rises in an hour. */
  readonly anHour: number;
  /** What it may rise. */
  readonly allowed: number;
  readonly isFlat: boolean;
}

/** What each may rise over the run without being called growth: caches that fill, and noise. */
const allowances: Readonly<Record<Measure, { share: number; least: number }>> = {
  rssMb: { share: 0.15, least: 20 },
  heapMb: { share: 0.1, least: 4 },
  externalMb: { share: 0.2, least: 5 },
  handles: { share: 0.2, least: 10 },
  fds: { share: 0.2, least: 10 },
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Least squares. @returns the rise in one unit of `x` */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const [x0, y0] = [meanOf(points.map(([x]) => x)), meanOf(points.map(([, y]) => y))];
  const up = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0);
  return up / points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
}

/** Requests under way have memory and handles too: what stays is the least of so many looks. */
const looks = 10;

/** Fits a line to each measure after the first `warmUp` (a share) of the samples. */
export function growthOf(samples: readonly Sample[], warmUp: number): Growth[] {
  const kept = samples.slice(Math.floor(samples.length * warmUp));
  const seconds = kept.at(-1)!.seconds - kept[0]!.seconds;
  return (Object.keys(allowances) as Measure[]).map((measure) => {
    const staying = kept.map((sample, at) => {
      const least = Math.min(...kept.slice(at, at + looks).map((one) => one[measure]));
      return [sample.seconds, least] as const;
    });
    const slope = slopeOf(staying.slice(0, 1 - looks));
    const mean = meanOf(staying.map(([, least]) => least));
    const { share, least } = allowances[measure];
    const allowed = Math.max(least, mean * share);
    return { measure, mean, anHour: slope * 3600, allowed, isFlat: slope * seconds <= allowed };
  });
}
