import type { ConversationRecord } from '../../contracts/conversations.js';
import type { Page, PageRequest } from '../../contracts/page.js';
import { pageOf, type Position } from '../pages.js';

/** Rows of one statement, and of all statements of a page. */
const rowsPerStatement = 1_000;
const maxRows = 5_000;

/** Reads conversations after a cursor, the last used first. */
type ReadAfter<Row> = (cursor: string | null, limit: number) => Promise<readonly Row[]>;

/** How the rows of conversations are read. */
interface ConversationRows<Row> {
  readonly read: ReadAfter<Row>;
  readonly positionOf: (row: Row) => Position;
  readonly item: (row: Row) => ConversationRecord;
}

/**
 * A page of the conversations whose titles contain all words, without regard to case and accents:
 * the databases do not agree on either, so titles are compared here. A page looks at 5,000
 * conversations at most, in the order of the index, so its cost does not depend on how many there
 * are; where more follow, its `next` goes on behind them, even if nothing was found.
 */
export async function searchTitles<Row extends { readonly title: string }>(
  { read, positionOf, item }: ConversationRows<Row>,
  { limit, cursor }: PageRequest,
  search: string,
): Promise<Page<ConversationRecord>> {
  const words = wordsOf(search);
  const found: Row[] = [];
  let from = cursor;
  for (let seen = 0; seen < maxRows; seen += rowsPerStatement) {
    const rows = await read(from, rowsPerStatement + 1);
    for (const row of rows.slice(0, rowsPerStatement)) {
      if (!contains(row.title, words)) continue;
      found.push(row);
      if (found.length > limit) return pageOf(found, limit, positionOf, item);
    }
    const last = pageOf(rows, rowsPerStatement, positionOf, item);
    from = last.next;
    if (from === null) break;
  }
  return { items: found.map(item), next: from };
}

function contains(title: string, words: readonly string[]): boolean {
  const folded = fold(title);
  return words.every((word) => folded.includes(word));
}

const wordsOf = (search: string): string[] =>
  fold(search)
    .split(/\s+/u)
    .filter((word) => word !== '');

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
