import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** One figure of a published table. */
export interface ModelTableRow {
  readonly source: string;
  /** `<maker>/<model>`. */
  readonly model_canonical: string;
  readonly category: string;
  readonly metric: string;
  readonly value: string;
  readonly ci_low: string;
  readonly ci_high: string;
  readonly effort: string;
}

/**
 * Reads `current/model_tables.csv.gz` of a folder of published evaluations.
 * @throws Error if the file is missing or malformed
 */
export function readModelTableRows(folder: string): ModelTableRow[] {
  const file = join(folder, 'current/model_tables.csv.gz');
  return parse(gunzipSync(readFileSync(file)), { columns: true });
}
