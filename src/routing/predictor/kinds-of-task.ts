import type { KindsOfTask } from '../figures.js';
import { type Genre, genres } from './features/genre.js';
import type { PredictorWeights } from './predictor-weights.js';
import type { Reading } from './request-reader.js';

/** More families of tasks than any predictor has: kinds are numbered by genre and family. */
const maxFamilies = 100;
const minShare = 0.1;
const maxShares = 4;

/**
 * The kinds that make up much of a request, at most four, the largest first, as parts of a whole.
 * Empty if none is large.
 */
export function largestShares(
  shares: Iterable<readonly [kind: number, share: number]>,
): [kind: number, share: number][] {
  const large: [number, number][] = [];
  for (const [kind, share] of shares) if (share >= minShare) large.push([kind, share]);
  large.sort((a, b) => b[1] - a[1] || a[0] - b[0]).splice(maxShares);
  const whole = large.reduce((sum, [, share]) => sum + share, 0);
  for (const one of large) one[1] /= whole;
  return large;
}

/** The genre that a kind of task belongs to; null for a number that stands for none. */
export const genreOfKind = (kind: number): Genre | null =>
  genres[Math.floor(kind / maxFamilies)] ?? null;

/**
 * The kinds of task that ratings are told apart by: the families of published evaluations that a
 * request resembles, each for one genre.
 */
export class TaskKinds {
  /** Under this name the numbers of the kinds are stored: another predictor has others. */
  readonly router: string;
  private readonly families: Uint8Array;
  private readonly sums: Float64Array;

  constructor({ name, taskFamilies }: Pick<PredictorWeights, 'name' | 'taskFamilies'>) {
    this.router = `${name} by genre`;
    this.families = taskFamilies;
    this.sums = new Float64Array(taskFamilies.reduce((most, one) => Math.max(most, one), 0) + 1);
  }

  /** The kinds of one request. */
  of({ shares, tasks }: Pick<Reading, 'shares' | 'tasks'>, genre: Genre): KindsOfTask {
    const { families, sums } = this;
    sums.fill(0);
    for (const task of tasks) sums[families[task]!]! += shares[task]!;
    const first = genres.indexOf(genre) * maxFamilies;
    const kinds: [number, number][] = [];
    for (let family = 0; family < sums.length; family++)
      if (sums[family]! >= minShare) kinds.push([first + family, sums[family]!]);
    return { router: this.router, shares: largestShares(kinds) };
  }
}
