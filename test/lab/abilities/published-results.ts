import { type ModelTableRow, readModelTableRows } from '../model-table-rows.js';
import { logit } from '../fit/evaluations.js';
import { effortLevel, type Measured, measuredBy } from './result-kinds.js';

/** A published column of results: one test, by one measure. */
export interface ResultColumn extends Measured {
  readonly name: string;
  readonly source: string;
}

/** One result of one model at one effort. */
export interface Result {
  /** The number of its column. */
  readonly column: number;
  /** `<maker>/<model>`. */
  readonly model: string;
  /** As `effortLevel` says; empty: the usual one. */
  readonly effort: string;
  /** In log odds, or what grows as they do. */
  readonly value: number;
  /** The standard error that its source states, in the same unit; 0: none. */
  readonly error: number;
}

/** Published results of models, on columns whose scales differ. */
export interface PublishedResults {
  readonly columns: readonly ResultColumn[];
  readonly results: readonly Result[];
}

/** 400 points of Elo are odds of ten to one. */
const oddsPerElo = Math.LN10 / 400;
const percent = (value: number): number => logit(value / 100);

/** How a measure becomes log odds; what is not here is no measure of quality. */
const inOdds: Readonly<Record<string, (value: number) => number>> = {
  // the ratings with control of style: they tell less of length and layout
  elo_sc: (value) => value * oddsPerElo,
  elo: (value) => value * oddsPerElo,
  score_0_100: percent,
  pass_rate_2: percent,
  accuracy: logit,
  resolved_share: logit,
};
/** Half of a 95 % interval, in standard errors. */
const errorsInHalf = 1.96;

/** Columns that repeat another one of the same source. */
const isRepeated = ({ source, metric }: ModelTableRow): boolean =>
  source === 'arena-catalog' && metric === 'elo';

/** Whether a model had to write its calls of tools as text: that says how well it writes them. */
export const callsAsText = (effort: string): boolean => effort.includes('in prompt');

/** A quantized or otherwise changed copy says nothing about the model, nor does an app around it. */
const isChanged = ({ effort }: ModelTableRow): boolean =>
  /quant:|app|online|search/.test(effort) || callsAsText(effort);

function resultOf(row: ModelTableRow, column: number): Result {
  const odds = inOdds[row.metric]!;
  const [low, high] = [Number(row.ci_low || row.value), Number(row.ci_high || row.value)];
  return {
    column,
    model: row.model_canonical,
    effort: effortLevel(row.effort),
    value: odds(Number(row.value)),
    error: Math.abs(odds(high) - odds(low)) / (2 * errorsInHalf),
  };
}

/**
 * Reads `current/model_tables.csv.gz` of a folder of published evaluations.
 * @throws Error if the file is missing or malformed
 */
export function readPublishedResults(folder: string): PublishedResults {
  const rows = readModelTableRows(folder);
  const columns: ResultColumn[] = [],
    places = new Map<string, number>(),
    results: Result[] = [];
  for (const row of rows) {
    const measured = row.metric in inOdds ? measuredBy(row.source, row.category) : null;
    if (!measured || isRepeated(row) || isChanged(row)) continue;
    const name = `${row.source}/${row.category}/${row.metric}`;
    let place = places.get(name);
    if (place === undefined) {
      place = columns.push({ name, source: row.source, ...measured }) - 1;
      places.set(name, place);
    }
    results.push(resultOf(row, place));
  }
  return { columns, results };
}
