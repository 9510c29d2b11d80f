import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { invalidField } from '../../errors.js';
import type { Page, PageRequest } from '../../store/contracts/page.js';
import { textParameter } from '../../api/query.js';

/** A value of a cell. */
export type Cell = string | number | boolean | null | undefined;

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
 * Whether the client asks for CSV: `format=csv`, or `Accept: text/csv` if there is no `format`.
 * @throws GatewayError `validation_failed` for any other format than `csv` and `json`
 */
export function wantsCsv(req: Request): boolean {
  const format = textParameter(req, 'format');
  if (format !== null && format !== 'csv' && format !== 'json')
    throw invalidField('format', 'must be json or csv');
  return format === null ? req.accepts(['json', 'csv']) === 'csv' : format === 'csv';
}

/** What is exported: a table that is read page by page. */
export interface CsvTable<Item> {
  /** The file's name, without the extension. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The cells of a row, in the order of the columns. */
  readonly row: (item: Item) => readonly Cell[];
  readonly read: (page: PageRequest) => Promise<Page<Item>>;
}

const pageSize = 500;

/**
 * Sends all rows of a table, however many, as fast as the client reads. A failure after the first
 * page cuts the answer off, so that it does not look whole.
 */
export async function sendCsv<Item>(res: Response, table: CsvTable<Item>): Promise<void> {
  // a failure of the first page is answered as an error
  const first = await table.read({ limit: pageSize, cursor: null });
  res.writeHead(200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${table.name}.csv"`,
  });
  await pipeline(Readable.from(linesOf(table, first)), res).catch((error: unknown) => {
    if (!res.destroyed) throw error;
  });
}

async function* linesOf<Item>(table: CsvTable<Item>, first: Page<Item>): AsyncGenerator<string> {
  yield csvLine(table.columns);
  for (let page = first; ; page = await table.read({ limit: pageSize, cursor: page.next })) {
    if (page.items.length > 0) yield page.items.map((item) => csvLine(table.row(item))).join('');
    if (page.next === null) return;
  }
}
