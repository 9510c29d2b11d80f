import { sigmoid } from '../../models/numbers.js';
import { addRows, scaledDense, sumOfRows } from '../predictor/columns.js';
import type { Features } from '../predictor/features/features.js';
import { firstColumns, type OutlookWeights } from './outlook-weights.js';
import { hash } from 'node:crypto';
import { type KindsOfTask, largestShares } from '../figures.js';

/** What a request asks of any model. */
export interface Outlook {
  /** On the scale of abilities: half of the ceiling is reached by a model of this ability. */
  readonly difficulty: number;
  /** 0..1: the quality that no model exceeds, because such requests have no certain answer. */
  readonly ceiling: number;
  /** 0..1: how much it is like everyday requests, and not like those of benchmarks. */
  readonly everyday: number;
  /** The kinds of request that it consists of, the largest first, as parts of a whole. */
  readonly kinds: readonly Share[];
  /** The groups of languages other than English, likewise. */
  readonly languages: readonly Share[];
  /** The least uncertainty of qualities of such requests. Absent: that of other requests. */
  readonly minUncertainty?: number;
}

/** A part of a request. */
export interface Share {
  readonly name: string;
  readonly share: number;
}

/** Smaller shares are left out. */
const minShare = 0.08;

/** Reads requests with the weights. A request of a kilobyte takes some tens of microseconds. */
export class OutlookReader {
  private readonly kindNames: readonly string[];
  /** Reused by each request: allocating and collecting arrays of this size is expensive. */
  private readonly sums: Float64Array;
  private readonly scaled: Float64Array;

  constructor(readonly weights: OutlookWeights) {
    this.kindNames = weights.kinds.map(({ name }) => name);
    this.sums = new Float64Array(weights.bias.length);
    this.scaled = new Float64Array(weights.denseNames.length);
  }

  /** What a request asks of any model. */
  read(features: Features): Outlook {
    const { languages, bias, gramScale, grams, dense, everydayDifficulty } = this.weights;
    const { buckets, weights: amounts } = features;
    const sums = sumOfRows(grams, bias.length, buckets, amounts, this.sums);
    for (let at = 0; at < sums.length; at++) sums[at] = sums[at]! * gramScale[at]! + bias[at]!;
    addRows(dense, scaledDense(features.dense, this.weights, this.scaled), sums);
    const [fitted = 0, ceiling = 0] = sums;
    const everyday = sigmoid(sums[2]!);
    const { constant, factor, most } = everydayDifficulty;
    const stretched = Math.min(most, constant + factor * fitted);
    const firstLanguage = firstColumns + this.kindNames.length;
    return {
      difficulty: fitted + everyday * (stretched - fitted),
      ceiling: sigmoid(ceiling),
      everyday,
      kinds: sharesOf(this.kindNames, sums.subarray(firstColumns, firstLanguage)),
      // English is the usual language, which abilities are not adjusted for
      languages: sharesOf(languages, sums.subarray(firstLanguage)).filter(
        ({ name }) => name !== languages[0],
      ),
    };
  }
}

/** The parts of a whole by their log odds, largest first, without small ones. Overwrites odds. */
function sharesOf(names: readonly string[], odds: Float64Array): Share[] {
  let highest = -Infinity,
    whole = 0;
  for (const one of odds) if (one > highest) highest = one;
  for (let at = 0; at < odds.length; at++) whole += odds[at] = Math.exp(odds[at]! - highest);
  const shares: Share[] = [];
  for (let at = 0; at < odds.length; at++) {
    const share = odds[at]! / whole;
    if (share >= minShare) shares.push({ name: names[at]!, share });
  }
  return shares.sort((a, b) => b.share - a.share);
}

/** The kind of a long request, which is known by its length; `ability` is the kind it is judged by. */
export const longDocument = { name: 'long document', ability: 'long' } as const;

/** Above `shortTokens` each doubling of a request adds this share of a long document. */
const shortTokens = 2_000,
  shareOfDoubling = 0.15,
  maxShare = 0.6;

/** A request's outlook with the share of a long document that its length in tokens gives it. */
export function withLength(outlook: Outlook, tokens: number): Outlook {
  if (tokens <= shortTokens) return outlook;
  const long = Math.min(maxShare, shareOfDoubling * Math.log2(tokens / shortTokens));
  const kinds = outlook.kinds.map(({ name, share }) => ({ name, share: share * (1 - long) }));
  kinds.push({ name: longDocument.name, share: long });
  return { ...outlook, kinds: kinds.sort((a, b) => b.share - a.share) };
}

/** Numbers the kinds of requests; ratings are kept by kind. */
export class RequestKinds {
  /** The name under which numbers of kinds are stored: other weights may number others. */
  readonly router: string;
  private readonly names: readonly string[];
  private readonly numbers: ReadonlyMap<string, number>;

  constructor({ kinds }: Pick<OutlookWeights, 'kinds'>) {
    const read = kinds.map(({ name }) => name);
    // last, so that the stored numbers of the others stay
    this.names = [...read, longDocument.name];
    this.router = `kinds ${hash('sha256', read.join()).slice(0, 12)}`;
    this.numbers = new Map(this.names.map((name, number) => [name, number]));
  }

  /** The kinds of one request. */
  of({ kinds }: Outlook): KindsOfTask {
    const shares = largestShares(
      kinds.map(({ name, share }) => [this.numbers.get(name)!, share] as const),
    );
    const names = shares.map(([number]) => this.names[number]!);
    return { router: this.router, shares, names };
  }
}
