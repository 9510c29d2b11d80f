import { type Fields, isObject } from '../../../text/is-object.js';
import { CsvError, parse } from 'csv-parse/sync';
import { type ColumnOptions, readColumns } from './columns.js';
import {
  compared,
  type EvaluationRows,
  FileProblem,
  maxCells,
  maxRows,
  quoted,
  RowReader,
  type NumberColumn,
} from './evaluation-rows.js';

/** How a file of evaluations is read. */
export interface ReadOptions extends ColumnOptions {
  readonly format: 'csv' | 'jsonl';
  /** Characters of collected evaluations: JSON lines with `scores` before the file. Absent: 0. */
  readonly collectedLength?: number;
}

/**
 * Reads evaluations: CSV with a header, or JSON lines, either flat like the CSV or `{prompt,
 * scores: {<model>: number}, costs?, latencies?}`. 50 to 100,000 rows; cells may be empty.
 * @throws FileProblem naming the line
 */
export function readEvaluations(text: string, options: ReadOptions): EvaluationRows {
  const { collectedLength = 0 } = options;
  if (collectedLength === 0) return checkRows(readFile(text, options));
  const collected = readCollected(text.slice(0, collectedLength));
  const file = text.slice(collectedLength);
  return checkRows(file === '' ? collected : joinRows(collected, readFile(file, options)));
}

const readFile = (text: string, options: ReadOptions): EvaluationRows =>
  options.format === 'csv' ? readCsv(text, options) : readLines(text, options);

/** What csv-parse passes to `on_record` with `info`. */
interface ParsedRecord {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

function readCsv(text: string, options: ReadOptions): EvaluationRows {
  let reader: RowReader | null = null,
    names: string[] = [],
    columns: readonly NumberColumn[] = [],
    places: number[] = [],
    promptPlace = 0;
  const take = ({ record, info: { lines } }: ParsedRecord): null => {
    if (reader === null) {
      names = record.map((name) => name.trim());
      columns = readColumns(names, options);
      places = columns.map(({ name }) => names.indexOf(name));
      promptPlace = names.indexOf(options.promptColumn);
      reader = new RowReader(columns);
    } else
      reader.add(
        record[promptPlace],
        places.map((place) => record[place]),
        lines,
      );
    return null;
  };
  try {
    parse(text, {
      bom: true,
      info: true,
      skip_empty_lines: true,
      on_record: (record: unknown) => take(record as ParsedRecord),
    });
  } catch (error) {
    throw error instanceof CsvError
      ? new FileProblem(wordsFor(error), typeof error['lines'] === 'number' ? error['lines'] : null)
      : error;
  }
  return finished(reader);
}

/** Our own words, because the parser's message may repeat a cell. */
function wordsFor({ code }: CsvError): string {
  if (code.startsWith('CSV_RECORD_INCONSISTENT'))
    return 'the row has a different number of cells than the first line';
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is opened but never closed';
  return `this is not CSV (${code.toLowerCase().replaceAll('_', ' ')})`;
}

interface Line {
  readonly row: Fields;
  readonly line: number;
}

function readLines(text: string, options: ReadOptions): EvaluationRows {
  const rows = linesIn(text, options.promptColumn);
  const names = new Set(rows.slice(0, 1000).flatMap(({ row }) => Object.keys(row)));
  if (rows.length === 0) return finished(null);
  const columns = readColumns([...names], options);
  const isAnyAllowed = options.models !== null || Boolean(options.columns);
  return readRows(rows, options.promptColumn, columns, isAnyAllowed ? null : names);
}

/** @param names the only ones that a row may have; null: any */
function readRows(
  rows: readonly Line[],
  promptColumn: string,
  columns: readonly NumberColumn[],
  names: ReadonlySet<string> | null,
): EvaluationRows {
  const reader = new RowReader(columns);
  for (const { row, line } of rows) {
    const strange = names === null ? undefined : Object.keys(row).find((name) => !names.has(name));
    if (strange !== undefined)
      throw new FileProblem(
        `the row has ${quoted(strange)}, which none of the first 1000 rows has`,
        line,
      );
    reader.add(
      own(row, promptColumn),
      columns.map(({ name }) => own(row, name)),
      line,
    );
  }
  return reader.finish();
}

/** The rows of an evaluation set, which may be of any models. */
function readCollected(text: string): EvaluationRows {
  const rows = linesIn(text, 'prompt');
  const names = [...new Set(rows.flatMap(({ row }) => Object.keys(row)))];
  const columns = names.flatMap((name): NumberColumn[] => {
    const [, model, role] = /^([^]+)\/(score|cost)$/.exec(name) ?? [];
    return model === undefined ? [] : [{ name, model, role: role === 'cost' ? 'cost' : 'score' }];
  });
  return readRows(rows, 'prompt', columns, null);
}

/** An own property only: a model may have the name of a property that every object inherits. */
const own = (row: Fields, name: string): unknown =>
  Object.hasOwn(row, name) ? row[name] : undefined;

/** Parses line by line and stops at the limit: millions of lines are refused early. */
function linesIn(text: string, promptColumn: string): Line[] {
  const rows: Line[] = [];
  for (let from = text.startsWith('\ufeff') ? 1 : 0, line = 1; from < text.length; line++) {
    const end = text.indexOf('\n', from),
      to = end < 0 ? text.length : end;
    const written = text.slice(from, to);
    from = to + 1;
    if (written.trim() === '') continue;
    // one more row than allowed is refused where rows are counted
    if (rows.push({ row: flat(objectIn(written, line), promptColumn, line), line }) > maxRows)
      break;
  }
  return rows;
}

function objectIn(line: string, at: number): Fields {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // the error below says it
  }
  throw new FileProblem('this is not a JSON object', at);
}

const nested = [
  ['scores', '/score'],
  ['costs', '/cost'],
  ['latencies', '/latency'],
] as const;

/** A row with its models' numbers as columns; without costs and latencies of unscored models. */
function flat(row: Fields, promptColumn: string, line: number): Fields {
  const scores = own(row, 'scores');
  if (typeof scores !== 'object' || scores === null) return row;
  const cells = nested.flatMap(([field, ending]) => {
    const values = own(row, field) ?? {};
    if (typeof values !== 'object' || Array.isArray(values))
      throw new FileProblem(`${field} must be an object`, line);
    return Object.entries(values).flatMap(([model, value]) =>
      Object.hasOwn(scores, model) ? [[model + ending, value as unknown]] : [],
    );
  });
  return { [promptColumn]: own(row, promptColumn), ...(Object.fromEntries(cells) as object) };
}

function finished(reader: RowReader | null): EvaluationRows {
  if (reader === null) throw new FileProblem('the file is empty');
  return reader.finish();
}

const minRows = 50;
/** With fewer prompts, the interval of the gain would say nothing. */
const minComparedPrompts = 20;

/** The rows, if they suffice to learn from. @throws FileProblem */
function checkRows(rows: EvaluationRows): EvaluationRows {
  const { models, prompts, scores } = rows;
  if (prompts.length < minRows)
    throw new FileProblem(`at least ${minRows} rows are needed, and there are ${prompts.length}`);
  if (prompts.length > maxRows || prompts.length * models.length > maxCells)
    throw new FileProblem(
      `at most ${maxRows.toLocaleString('en')} rows and ${maxCells.toLocaleString('en')} scores are supported, and there are ${prompts.length} rows of ${models.length} models`,
    );
  models.forEach((model, place) => {
    if (!prompts.some((_, row) => !Number.isNaN(scores[row * models.length + place])))
      throw new FileProblem(`the column of ${quoted(model)} has no scores`);
  });
  checkCompared(rows);
  return rows;
}

/** Only rows with scores of several models show which model to choose. */
function checkCompared({ models, prompts, scores }: EvaluationRows): void {
  const found = new Set<string>();
  prompts.forEach((prompt, row) => {
    if (found.size >= minComparedPrompts) return;
    const measured = models.filter(
      (_, place) => !Number.isNaN(scores[row * models.length + place]),
    ).length;
    if (measured >= 2) found.add(compared(prompt));
  });
  if (found.size < minComparedPrompts)
    throw new FileProblem(
      `at least ${minComparedPrompts} different prompts with scores of at least 2 models each are needed, and there are ${found.size}`,
    );
}

/** The rows of both, with the models of both; where one has no scores of a model, cells are empty. */
function joinRows(first: EvaluationRows, second: EvaluationRows): EvaluationRows {
  const models = [...new Set([...first.models, ...second.models])];
  const parts = [first, second];
  const placed = (
    of: (rows: EvaluationRows) => EvaluationRows['costs'],
  ): Float32Array<ArrayBuffer> => {
    const count = first.prompts.length + second.prompts.length;
    const into = new Float32Array(count * models.length).fill(NaN);
    let from = 0;
    for (const part of parts) {
      const places = part.models.map((model) => models.indexOf(model));
      of(part)?.forEach((value, at) => {
        const row = from + Math.floor(at / part.models.length);
        into[row * models.length + places[at % part.models.length]!] = value;
      });
      from += part.prompts.length;
    }
    return into;
  };
  const hasCosts = first.costs !== null || second.costs !== null;
  return {
    models,
    prompts: [...first.prompts, ...second.prompts],
    scores: placed(({ scores }) => scores),
    costs: hasCosts ? placed(({ costs }) => costs) : null,
  };
}
