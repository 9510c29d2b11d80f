import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type {
  ConversationRecord,
  ConversationStore,
  FoundConversation,
  MessageRecord,
} from '../../contracts/conversations.js';
import type { Page, PageRequest } from '../../contracts/page.js';
import { clean, columnsOf, fieldsOf, fromJson } from '../columns.js';
import { after, pageOf, readPage, type Position } from '../pages.js';
import { removeConversations } from '../removal.js';
import type { ConversationTable, Database, MessageTable, StoreTables } from '../tables.js';
import { transact } from '../transact.js';
import { appendTurns } from './turns.js';

/** The conversations and their messages in SQL. */
export const createConversationStore = (database: Database): ConversationStore => ({
  async create(conversation) {
    const { createdAt } = conversation;
    const row = await database
      .insertInto('conversations')
      .values({ ...columnsOf(conversation), message_count: 0, bytes: 0, updated_at: createdAt })
      .returningAll()
      .executeTakeFirstOrThrow();
    return fromColumns(row);
  },
  find: (accountId, id) => find(database, accountId, id),
  async storedBytes(accountId) {
    // of a text, both databases know the bytes without reading it
    const { rows } = await sql<{ bytes: number | string }>`
        select coalesce((select sum(bytes) from conversations where account_id = ${accountId}), 0)
          + coalesce((select sum(octet_length(notes)) from research_notes
              where account_id = ${accountId}), 0)
          + coalesce((select sum(octet_length(input) + octet_length(response)) from responses
              where account_id = ${accountId}), 0) as bytes`.execute(database);
    // PostgreSQL answers a sum as text
    return Number(rows[0]?.bytes ?? 0);
  },
  list(accountId, page, search = null) {
    const rows = owned(database, accountId);
    if (search === null) return readPage(rows, 'updated_at', page, fromColumns);
    const read = async (cursor: string | null, limit: number) =>
      (await readPage(rows, 'updated_at', { limit, cursor }, (row) => row)).items;
    return searchTitles(read, page, search);
  },
  async messages(accountId, id, page) {
    const conversation = await owned(database, accountId)
      .where('id', '=', clean(id))
      .executeTakeFirst();
    return conversation ? await readMessages(database, conversation.id, page) : null;
  },
  async rename(accountId, id, title, source, onlyDerived = false) {
    const query = database
      .updateTable('conversations')
      .set({ title: clean(title), title_source: source })
      .where('id', '=', clean(id))
      .where('account_id', '=', accountId);
    const row = await (onlyDerived ? query.where('title_source', '=', 'derived') : query)
      .returningAll()
      .executeTakeFirst();
    return row ? fromColumns(row) : null;
  },
  remove: (accountId, id) => removeConversation(database, accountId, id),
  append: (turns) => appendTurns(database, turns),
});

const positionOf = (row: Selectable<ConversationTable>): Position => [row.updated_at, row.id];

const owned = (database: Database, accountId: string) =>
  database.selectFrom('conversations').selectAll().where('account_id', '=', accountId);

async function find(
  database: Database,
  accountId: string,
  id: string,
): Promise<FoundConversation | null> {
  const row = await owned(database, accountId)
    .where('id', '=', clean(id))
    .select((select) => [
      lastAnswer(select, 'provider').as('last_provider'),
      lastAnswer(select, 'model').as('last_model'),
    ])
    .executeTakeFirst();
  if (!row) return null;
  const { last_model: model, last_provider: provider, ...conversation } = row;
  const last = model === null ? null : { provider, model };
  return { ...fromColumns(conversation), last };
}

/** A column of the last message with a model; one step in an index. */
const lastAnswer = <C extends 'provider' | 'model'>(
  select: ExpressionBuilder<StoreTables, 'conversations'>,
  column: C,
) =>
  select
    .selectFrom('messages')
    .select(column)
    .whereRef('conversation_id', '=', 'conversations.id')
    .where('model', 'is not', null)
    .orderBy('position', 'desc')
    .limit(1);

async function readMessages(
  database: Database,
  id: string,
  page: PageRequest,
): Promise<Page<MessageRecord>> {
  const rows = await database
    .selectFrom('messages')
    .selectAll()
    .where('conversation_id', '=', id)
    .where(after(['position', 'id'], page.cursor, 'rising'))
    .orderBy('position')
    .limit(page.limit + 1)
    .execute();
  return pageOf(rows, page.limit, (row) => [row.position, row.id], fromMessageColumns);
}

async function removeConversation(
  database: Database,
  accountId: string,
  id: string,
): Promise<boolean> {
  const condition = sql`id = ${clean(id)} and account_id = ${accountId}`;
  const removed = await transact(database, (transaction) =>
    removeConversations(transaction, condition),
  );
  return removed > 0;
}

function fromColumns({ bytes: _bytes, ...row }: Selectable<ConversationTable>): ConversationRecord {
  return fieldsOf<ConversationRecord>(row);
}

const fromMessageColumns = ({
  conversation_id: _conversation,
  position: _position,
  digest: _digest,
  ...row
}: Selectable<MessageTable>): MessageRecord => ({
  ...fieldsOf<Omit<MessageRecord, 'content' | 'usage'>>(row),
  content: fromJson(row.content),
  usage: fromJson(row.usage),
});

/** Rows of one statement, and of all statements of a page. */
const rowsPerStatement = 1_000;
const maxRows = 5_000;

/**
 * A page of the conversations whose titles contain all words, without regard to case and accents:
 * the databases do not agree on either, so titles are compared here. A page looks at 5,000
 * conversations at most, in the order of the index, so its cost does not depend on how many there
 * are; where more follow, its `next` goes on behind them, even if nothing was found.
 */
export async function searchTitles(
  read: (cursor: string | null, limit: number) => Promise<readonly Selectable<ConversationTable>[]>,
  { limit, cursor }: PageRequest,
  search: string,
): Promise<Page<ConversationRecord>> {
  const words = fold(search)
    .split(/\s+/u)
    .filter((word) => word !== '');
  const found: Selectable<ConversationTable>[] = [];
  let from = cursor;
  for (let seen = 0; seen < maxRows; seen += rowsPerStatement) {
    const rows = await read(from, rowsPerStatement + 1);
    for (const row of rows.slice(0, rowsPerStatement)) {
      const title = fold(row.title);
      if (!words.every((word) => title.includes(word))) continue;
      found.push(row);
      if (found.length > limit) return pageOf(found, limit, positionOf, fromColumns);
    }
    from = pageOf(rows, rowsPerStatement, positionOf, fromColumns).next;
    if (from === null) break;
  }
  return { items: found.map(fromColumns), next: from };
}

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
