import { expect, it } from 'vitest';
import type { ConversationRecord } from '../../src/store/contracts/conversations.js';
import type { Page } from '../../src/store/contracts/page.js';
import { searchTitles } from '../../src/store/sql/conversations/conversations.js';
import type { ConversationTable } from '../../src/store/sql/tables.js';

/** Conversations 0, 1, 2, …; the title of each hundredth one is `found`. */
function rowsUpTo(count: number) {
  let read = 0;
  return {
    rowsRead: () => read,
    rows: (cursor: string | null, limit: number) => {
      const from = cursor === null ? 0 : placeOf(cursor) + 1;
      const rows = Array.from({ length: Math.min(limit, count - from) }, (_, index) =>
        conversationAt(from + index),
      );
      read += rows.length;
      return Promise.resolve(rows);
    },
  };
}

const conversationAt = (place: number): ConversationTable => ({
  id: 'id',
  account_id: 'ann',
  title: place % 100 === 99 ? 'found' : 'other',
  title_source: 'derived',
  message_count: 0,
  bytes: 0,
  created_at: place,
  updated_at: place,
});

const placeOf = (cursor: string): number =>
  Number(Buffer.from(cursor, 'base64url').toString().split('.')[0]);

it('pages of found titles are complete and do not repeat any', async () => {
  const { rows } = rowsUpTo(12_345);
  const found: number[] = [];
  for (let cursor: string | null = null, more = true; more;) {
    const page: Page<ConversationRecord> = await searchTitles(rows, { limit: 7, cursor }, 'found');
    found.push(...page.items.map(({ createdAt }) => createdAt));
    cursor = page.next;
    more = cursor !== null;
  }
  expect(found).toEqual(Array.from({ length: 123 }, (_, index) => index * 100 + 99));
});

it('a page reads a bounded number of conversations, and goes on where it stopped', async () => {
  const { rows, rowsRead } = rowsUpTo(1_000_000);
  const page = await searchTitles(rows, { limit: 20, cursor: null }, 'absent');
  expect(page.items).toEqual([]);
  expect(placeOf(page.next ?? '')).toBe(4_999);
  expect(rowsRead()).toBeLessThan(5_100);
});
