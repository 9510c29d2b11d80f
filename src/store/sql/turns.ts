import { type Insertable, type Kysely, PostgresAdapter, type Selectable } from 'kysely';
import type { Turn } from '../conversation-records.js';
import { chunks, clean } from './columns.js';
import { digestTurn, GrowingConversation } from './growing-conversation.js';
import { recallDialogues, recallScenes } from './recall.js';
import type { ConversationTable, Database, Tables } from './tables.js';
import { transact } from './transact.js';

/** Of twelve columns at most. */
const rowsPerStatement = 1_000;

type Conversations = Map<string, GrowingConversation>;

/** `ConversationStore.append`. The number of statements does not depend on the number of turns: what counts is the round trips. */
export async function appendTurns(database: Kysely<Tables>, turns: readonly Turn[]): Promise<('stored' | 'gone')[]> {
  if (turns.length === 0) return [];
  return await transact(database, async (transaction) => {
    await beginConversations(transaction, turns);
    const conversations = await lockConversations(transaction, turns);
    const ours = turns.filter(({ conversationId, accountId }) => conversations.get(conversationId)?.accountId === accountId);
    await grow(transaction, conversations, ours);
    await write(transaction, [...conversations.values()]);
    const stored = new Set(ours);
    return turns.map((turn) => (stored.has(turn) ? 'stored' : 'gone'));
  });
}

async function beginConversations(database: Database, turns: readonly Turn[]): Promise<void> {
  const rows = new Map<string, Insertable<ConversationTable>>();
  for (const { conversationId: id, accountId, begins, at } of turns) {
    if (begins === null || rows.has(id)) continue;
    rows.set(id, { id, account_id: accountId, title: clean(begins.title), title_source: 'derived', message_count: 0, created_at: at, updated_at: at });
  }
  const sorted = [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const values of chunks(sorted, rowsPerStatement)) {
    await database.insertInto('conversations').values(values).onConflict((conflict) => conflict.column('id').doNothing()).execute();
  }
}

/** Always in the order of their ids: in one order two replicas cannot lock each other out. */
async function lockConversations(database: Database, turns: readonly Turn[]): Promise<Conversations> {
  const conversations: Conversations = new Map();
  const ids = [...new Set(turns.map((turn) => turn.conversationId))].sort();
  for (const some of chunks(ids, rowsPerStatement)) {
    for (const row of await lockSome(database, some)) conversations.set(row.id, new GrowingConversation(row));
  }
  return conversations;
}

/** PostgreSQL locks rows one by one, and only this says in which order; an embedded database has one lock, which its transactions begin with. */
async function lockSome(database: Database, ids: readonly string[]): Promise<Selectable<ConversationTable>[]> {
  const query = database.selectFrom('conversations').selectAll().where('id', 'in', ids).orderBy('id');
  return await (database.getExecutor().adapter instanceof PostgresAdapter ? query.forUpdate() : query).execute();
}

async function grow(database: Database, conversations: Conversations, turns: readonly Turn[]): Promise<void> {
  const there = await answersThere(database, turns);
  const fresh = turns.filter(({ answer }) => !there.has(answer.id) && there.add(answer.id)).map(digestTurn);
  await recallDialogues(database, conversations, fresh);
  await recallScenes(database, conversations, fresh);
  for (const turn of fresh) conversations.get(turn.turn.conversationId)!.grow(turn);
}

async function answersThere(database: Database, turns: readonly Turn[]): Promise<Set<string>> {
  const there = new Set<string>();
  for (const some of chunks(turns, rowsPerStatement)) {
    const rows = await database.selectFrom('messages').select('id').where('id', 'in', some.map((turn) => turn.answer.id)).execute();
    for (const { id } of rows) there.add(id);
  }
  return there;
}

async function write(database: Database, conversations: readonly GrowingConversation[]): Promise<void> {
  const grown = conversations.filter(({ added }) => added.length > 0);
  for (const values of chunks(grown.flatMap(({ added }) => added), rowsPerStatement)) {
    await database.insertInto('messages').values(values).onConflict((conflict) => conflict.column('id').doNothing()).execute();
  }
  // all of them are there: an insert that conflicts is the one statement that updates many rows, each with values of its own
  for (const values of chunks(grown.map((conversation) => conversation.grown), rowsPerStatement)) {
    await database.insertInto('conversations').values(values).onConflict((conflict) => conflict.column('id').doUpdateSet((eb) => ({
      message_count: eb.ref('excluded.message_count'), updated_at: eb.ref('excluded.updated_at'),
    }))).execute();
  }
}
