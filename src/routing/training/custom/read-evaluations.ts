import { CsvError, parse } from 'csv-parse/sync';
import { type ColumnOptions, type NumberColumn, readColumns } from './columns.js';
import { type EvaluationRows, RowReader } from './evaluation-rows.js';
import { FileProblem } from './file-problem.js';

/** How a file of evaluations is read. */
export interface ReadOptions extends ColumnOptions {
  readonly format: 'csv' | 'jsonl';
}

/**
 * Reads evaluations: CSV with a header, or lines of JSON, flat as a CSV's rows or `{prompt, scores: {<model>: number}, costs?, latencies?}`.
 * 50 to 100,000 rows; cells may be empty.
 * @throws FileProblem that names the line
 */
export function readEvaluations(text: string, options: ReadOptions): EvaluationRows {
  return options.format === 'csv' ? readCsv(text, options) : readLines(text, options);
}

/** What csv-parse tells of a record with `info`. */
interface ToldRecord {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

function readCsv(text: string, options: ReadOptions): EvaluationRows {
  let reader: RowReader | null = null, names: string[] = [], columns: NumberColumn[] = [], places: number[] = [], promptPlace = 0;
  const take = ({ record, info: { lines } }: ToldRecord): null => {
    if (reader === null) {
      names = record.map((name) => name.trim());
      columns = readColumns(names, options);
      places = columns.map(({ name }) => names.indexOf(name));
      promptPlace = names.indexOf(options.promptColumn);
      reader = new RowReader(columns);
    } else reader.add(record[promptPlace], places.map((place) => record[place]), lines);
    return null;
  };
  try {
    parse(text, { bom: true, info: true, skip_empty_lines: true, on_record: (told: unknown) => take(told as ToldRecord) });
  } catch (error) {
    throw error instanceof CsvError ? new FileProblem(wordsFor(error), typeof error['lines'] === 'number' ? error['lines'] : null) : error;
  }
  return finished(reader);
}

/** The parser's own message may repeat a cell. */
function wordsFor({ code }: CsvError): string {
  if (code.startsWith('CSV_RECORD_INCONSISTENT')) return 'it has another number of cells than the first line';
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is opened and never closed';
  return `it is no CSV (${code.toLowerCase().replaceAll('_', ' ')})`;
}

function readLines(text: string, options: ReadOptions): EvaluationRows {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  const rows = lines.flatMap((line, at) => (line.trim() === '' ? [] : [{ row: flat(objectIn(line, at + 1), options.promptColumn), line: at + 1 }]));
  const names = new Set(rows.slice(0, 1000).flatMap(({ row }) => Object.keys(row)));
  if (rows.length === 0) return finished(null);
  const columns = readColumns([...names], options);
  const reader = new RowReader(columns);
  for (const { row, line } of rows) {
    const strange = options.models === null ? Object.keys(row).find((name) => !names.has(name)) : undefined;
    if (strange !== undefined) throw new FileProblem(`it names ${JSON.stringify(strange.slice(0, 40))}, which none of the first 1000 lines does`, line);
    reader.add(row[options.promptColumn], columns.map(({ name }) => row[name]), line);
  }
  return reader.finish();
}

function objectIn(line: string, at: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new FileProblem('it is no JSON object', at);
}

const nested = [['scores', '/score'], ['costs', '/cost'], ['latencies', '/latency']] as const;

/** A row with its models' numbers as columns of their own. */
function flat(row: Record<string, unknown>, promptColumn: string): Record<string, unknown> {
  if (typeof row['scores'] !== 'object' || row['scores'] === null) return row;
  const cells = nested.flatMap(([field, ending]) => Object.entries((row[field] ?? {})).map(([model, value]) => [model + ending, value as unknown]));
  return { [promptColumn]: row[promptColumn], ...(Object.fromEntries(cells) as object) };
}

function finished(reader: RowReader | null): EvaluationRows {
  if (reader === null) throw new FileProblem('the file is empty');
  return reader.finish();
}
