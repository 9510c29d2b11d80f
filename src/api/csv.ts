import type { Page, PageRequest } from '../store/contracts/page.js';
import { type Call, FileAnswer } from './endpoint.js';
import type { QueryParameter } from './parameters.js';
import { choiceParameter, refuseUnknown } from './query.js';

type Cell = string | number | boolean | null | undefined;

/** A line of CSV (RFC 4180). What a spreadsheet would run as a formula gets an apostrophe. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`;

function cellOf(value: Cell): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A page of a list, or the whole list as a file if the client asks for it: by `format=csv` or
 * `format=jsonl`, or by `Accept: text/csv` without `format`. A file has no pages.
 * @param parameters the endpoint's own
 * @throws GatewayError `validation_failed` for any other format than those and `json`
 */
export async function pageOrFile<Page, Item>(
  call: Call,
  parameters: readonly QueryParameter[],
  { page, table }: { page(): Promise<Page>; table(): FileTable<Item> | Promise<FileTable<Item>> },
): Promise<Page | FileAnswer> {
  const format = formatOf(call);
  if (format === 'json') return page();
  refuseUnknown(
    call,
    parameters.map(({ name }) => name).filter((name) => name !== 'limit' && name !== 'cursor'),
  );
  const exported = await table();
  // a failure of the first page is answered as an error; a later one cuts the file off, so that it
  // does not look whole
  const first = await exported.read({ limit: pageSize, cursor: null });
  const { type, ...written } = fileFormats[format];
  return new FileAnswer(`${exported.name}.${format}`, type, linesOf(exported, first, written));
}

const formatOf = (call: Call): 'json' | 'csv' | 'jsonl' =>
  choiceParameter(call, 'format', ['json', 'csv', 'jsonl']) ?? (call.prefersCsv() ? 'csv' : 'json');

/** What is exported: a table that is read page by page. */
export interface FileTable<Item> {
  /** The file's name, without the extension. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly row: (item: Item) => Readonly<Record<string, Cell>>;
  readonly read: (page: PageRequest) => Promise<Page<Item>>;
}

const pageSize = 500;

interface FileFormat {
  readonly type: string;
  readonly head: (columns: readonly string[]) => string;
  readonly line: (columns: readonly string[], cells: Readonly<Record<string, Cell>>) => string;
}

const fileFormats: Readonly<Record<'csv' | 'jsonl', FileFormat>> = {
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    head: csvLine,
    line: (columns, cells) => csvLine(columns.map((column) => cells[column])),
  },
  jsonl: {
    type: 'application/jsonl; charset=utf-8',
    head: () => '',
    line: (columns, cells) => `${JSON.stringify(cells, [...columns])}\n`,
  },
};

async function* linesOf<Item>(
  table: FileTable<Item>,
  first: Page<Item>,
  { head, line }: Omit<FileFormat, 'type'>,
): AsyncGenerator<string> {
  const { columns, row } = table;
  yield head(columns);
  for (let page = first; ; page = await table.read({ limit: pageSize, cursor: page.next })) {
    if (page.items.length > 0) yield page.items.map((item) => line(columns, row(item))).join('');
    if (page.next === null) return;
  }
}
