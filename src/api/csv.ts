import { invalidField } from '../errors.js';
import type { Page, PageRequest } from '../store/contracts/page.js';
import { type Call, FileAnswer } from './endpoint.js';
import type { QueryParameter } from './parameters.js';
import { refuseUnknown, textParameter } from './query.js';

type Cell = string | number | boolean | null | undefined;

/**
 * A line of CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe
 * before it.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;

function cellOf(value: Cell): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A page of a list, or the whole list as a file if the client asks for CSV: by `format=csv`, or by
 * `Accept: text/csv` without `format`. A file has no pages.
 * @param parameters the endpoint's own
 * @throws GatewayError `validation_failed` for any other format than `csv` and `json`
 */
export async function pageOrCsv<Page, Item>(
  call: Call,
  parameters: readonly QueryParameter[],
  { page, csv }: { page(): Promise<Page>; csv(): CsvTable<Item> | Promise<CsvTable<Item>> },
): Promise<Page | FileAnswer> {
  if (!wantsCsv(call)) return page();
  refuseUnknown(
    call,
    parameters.map(({ name }) => name).filter((name) => name !== 'limit' && name !== 'cursor'),
  );
  return csvFile(await csv());
}

function wantsCsv(call: Call): boolean {
  const format = textParameter(call, 'format');
  if (format !== null && format !== 'csv' && format !== 'json')
    throw invalidField('format', 'must be json or csv');
  return format === null ? call.prefersCsv() : format === 'csv';
}

/** What is exported: a table that is read page by page. */
export interface CsvTable<Item> {
  /** The file's name, without the extension. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The cells of a row, by their columns. */
  readonly row: (item: Item) => Readonly<Record<string, Cell>>;
  readonly read: (page: PageRequest) => Promise<Page<Item>>;
}

const pageSize = 500;

/**
 * All rows of a table as a file, however many. A failure of the first page is answered as an error;
 * a later one cuts the file off, so that it does not look whole.
 */
async function csvFile<Item>(table: CsvTable<Item>): Promise<FileAnswer> {
  const first = await table.read({ limit: pageSize, cursor: null });
  const type = 'text/csv; charset=utf-8; header=present';
  return new FileAnswer(`${table.name}.csv`, type, linesOf(table, first));
}

async function* linesOf<Item>(table: CsvTable<Item>, first: Page<Item>): AsyncGenerator<string> {
  const { columns, row } = table;
  const line = (item: Item): string => {
    const cells = row(item);
    return csvLine(columns.map((column) => cells[column]));
  };
  yield csvLine(columns);
  for (let page = first; ; page = await table.read({ limit: pageSize, cursor: page.next })) {
    if (page.items.length > 0) yield page.items.map(line).join('');
    if (page.next === null) return;
  }
}
