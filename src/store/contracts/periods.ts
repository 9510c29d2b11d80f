import type { Page, PageRequest } from './page.js';
import type { RequestFilter, SummedFigures } from './requests.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long the periods of sums are, and for how long they stay so short. */
export interface PeriodTier {
  readonly spanMs: number;
  /** After that they are merged into those of the next tier. */
  readonly keptMs: number;
}

/**
 * Older sums have longer periods. Each tier reaches back twice as far as the charts with points of its
 * span, because a chart is compared with the time before it.
 */
export const periodTiers: readonly PeriodTier[] = [
  { spanMs: minuteMs, keptMs: 13 * hourMs },
  { spanMs: 10 * minuteMs, keptMs: 50 * hourMs },
  { spanMs: hourMs, keptMs: 15 * dayMs },
  { spanMs: dayMs, keptMs: Infinity },
];

/**
 * The account of sums over all accounts, which no account can be called. Only packed rows have it,
 * and lists of accounts, deletions and groups by account or key leave it out.
 */
export const everyAccountId = '';

/**
 * What becomes of a row: requests are added to `open` ones; when the period has ended, they become
 * `packed`, and are then also in the sums over all accounts. The others are open rows of earlier
 * versions, with one class of latency each: `latency`: answered calls of a model whose latency is in
 * the bucket; `none`: all other requests; `ttft`: those whose time to first token is in the bucket,
 * which are counted as `latency` too.
 */
export type PeriodMeasure = 'open' | 'packed' | 'latency' | 'ttft' | 'none';

/** Sums of the requests of one period that have much in common. */
export interface PeriodRow extends SummedFigures {
  /** The period's start; a multiple of its span. */
  readonly at: number;
  readonly spanMs: number;
  readonly accountId: string;
  /** '' for none; as in the daily sums of usage. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly measure: PeriodMeasure;
  /** See `latencyBucket`; 0 for `open` and `packed`. */
  readonly bucket: number;
  /** Of `open` and `packed`, how many requests are in each bucket: see `LatencyCounts`. */
  readonly latencies: string | null;
  readonly firstTokens: string | null;
}

/** By what series can be split. `model` is the provider and its model. */
export type SeriesGrouping = 'account' | 'key' | 'provider' | 'model';

/** One name for each field of a grouping: of `model`, the provider and the model. */
export type GroupNames = readonly string[];

/** Which sums are read. */
export interface PeriodFilter extends Pick<
  RequestFilter,
  'accountId' | 'keyIds' | 'provider' | 'model'
> {
  readonly from: number;
  readonly to: number;
}

/** Sums of a point of a series; of the requests of one measure and bucket. */
export interface SeriesRow
  extends SummedFigures, Pick<PeriodRow, 'measure' | 'bucket' | 'latencies' | 'firstTokens'> {
  /** Counts from 0, in steps of the interval. */
  readonly point: number;
  /** Empty without a grouping. */
  readonly group: GroupNames;
}

/** How sums are divided. */
export interface SeriesDivision {
  /** Null: one point for the whole time. */
  readonly intervalMs: number | null;
  readonly by: SeriesGrouping | null;
  /** Only these groups. */
  readonly groups?: readonly GroupNames[];
  /** The maximum number of rows; which rows are left out is not specified. */
  readonly maxRows?: number;
}

/** Sums of requests over short periods, written with the requests and kept longer. */
export interface PeriodStore {
  series(filter: PeriodFilter, division: SeriesDivision): Promise<SeriesRow[]>;
  /** The groups with the most requests, largest first. */
  groups(filter: PeriodFilter, by: SeriesGrouping, limit: number): Promise<GroupNames[]>;
  /** All rows of an account, oldest first. */
  list(accountId: string, page: PageRequest): Promise<Page<PeriodRow>>;
  /**
   * Packs the rows of periods that have ended, and merges those that are older than their tier keeps
   * them, about `maxRows`; returns how many. 0: nothing is left.
   */
  merge(now: number, maxRows: number): Promise<number>;
}
