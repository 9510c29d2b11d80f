import { PostgresAdapter, type Selectable, sql } from 'kysely';
import type { Turn } from '../../contracts/conversations.js';
import { chunks, clean, stepped } from '../columns.js';
import {
  digestTurn,
  GrowingConversation,
  recallDialogues,
  recallSystemMessages,
} from './growing-conversation.js';
import { RepeatedInsert, skipKnown } from '../repeated-insert.js';
import type { ConversationTable, Database } from '../tables.js';
import { transact } from '../transact.js';

/** Rows of at most twelve columns. */
const rowsPerStatement = 1_000;

type Conversations = Map<string, GrowingConversation>;

/**
 * `ConversationStore.append`. The number of statements hardly depends on the number of turns,
 * because round trips dominate the cost.
 */
export async function appendTurns(
  database: Database,
  turns: readonly Turn[],
): Promise<('stored' | 'gone')[]> {
  if (turns.length === 0) return [];
  return await transact(database, async (transaction) => {
    const begun = await begin(transaction, turns);
    const others = turns.filter((turn) => !begun.has(turn));
    const stored = new Set(
      others.length === 0
        ? begun
        : [...begun, ...(await continueConversations(transaction, others))],
    );
    return turns.map((turn) => (stored.has(turn) ? 'stored' : 'gone'));
  });
}

/**
 * Writes the turns that begin a conversation, and returns them. Skips those whose conversation
 * exists already: the same turn again after a lost confirmation, or a second turn. A new
 * conversation has no stored messages, so nothing is looked up.
 */
async function begin(database: Database, turns: readonly Turn[]): Promise<Set<Turn>> {
  const conversations = new Map<string, { turn: Turn; conversation: GrowingConversation }>();
  for (const turn of turns) {
    const { conversationId: id, begins } = turn;
    if (begins === null || conversations.has(id)) continue;
    const conversation = new GrowingConversation({
      id: turn.conversationId,
      account_id: turn.accountId,
      title: clean(begins.title),
      title_source: 'derived',
      message_count: 0,
      bytes: 0,
      created_at: turn.at,
      updated_at: turn.at,
    });
    conversation.grow(digestTurn(turn));
    conversations.set(id, { turn, conversation });
  }
  const ids = [...conversations.keys()].sort();
  const rows = await insertConversations.run(
    database,
    ids.map((id) => conversations.get(id)!.conversation.grown),
  );
  const begun = rows.map(({ id }) => conversations.get(id)!);
  await insertMessages.run(
    database,
    begun.flatMap(({ conversation }) => conversation.added),
  );
  return new Set(begun.map(({ turn }) => turn));
}

const insertConversations = new RepeatedInsert<'conversations', { id: string }>(
  'conversations',
  sql`${skipKnown} returning id`,
);

/**
 * Writes turns of existing conversations.
 * @returns the turns whose conversation exists and belongs to their account
 */
async function continueConversations(database: Database, turns: readonly Turn[]): Promise<Turn[]> {
  const conversations = await lockConversations(database, turns);
  const ours = turns.filter(
    ({ conversationId, accountId }) => conversations.get(conversationId)?.accountId === accountId,
  );
  await grow(database, conversations, ours);
  await write(database, [...conversations.values()]);
  return ours;
}

/** Locks in the order of ids, so that two replicas cannot deadlock. */
async function lockConversations(
  database: Database,
  turns: readonly Turn[],
): Promise<Conversations> {
  const conversations: Conversations = new Map();
  const ids = [...new Set(turns.map((turn) => turn.conversationId))].sort();
  for (const some of chunks(ids, rowsPerStatement)) {
    for (const row of await lockSome(database, some))
      conversations.set(row.id, new GrowingConversation(row));
  }
  return conversations;
}

/** PostgreSQL locks row by row, in this order; the embedded database has one lock anyway. */
async function lockSome(
  database: Database,
  ids: readonly string[],
): Promise<Selectable<ConversationTable>[]> {
  const query = database
    .selectFrom('conversations')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('id');
  return await (
    database.getExecutor().adapter instanceof PostgresAdapter ? query.forUpdate() : query
  ).execute();
}

async function grow(
  database: Database,
  conversations: Conversations,
  turns: readonly Turn[],
): Promise<void> {
  const stored = await storedAnswers(database, turns);
  const fresh = turns
    .filter(({ answer }) => !stored.has(answer.id) && stored.add(answer.id))
    .map(digestTurn);
  await recallDialogues(database, conversations, fresh);
  await recallSystemMessages(database, conversations, fresh);
  for (const turn of fresh) conversations.get(turn.turn.conversationId)!.grow(turn);
}

async function storedAnswers(database: Database, turns: readonly Turn[]): Promise<Set<string>> {
  const there = new Set<string>();
  for (const some of chunks(turns, rowsPerStatement)) {
    const rows = await database
      .selectFrom('messages')
      .select('id')
      .where(
        'id',
        'in',
        some.map((turn) => turn.answer.id),
      )
      .execute();
    for (const { id } of rows) there.add(id);
  }
  return there;
}

async function write(
  database: Database,
  conversations: readonly GrowingConversation[],
): Promise<void> {
  const grown = conversations.filter(({ added }) => added.length > 0);
  await insertMessages.run(
    database,
    grown.flatMap(({ added }) => added),
  );
  // all rows exist: a conflicting insert is the only statement that updates many rows with
  // different values
  for (const values of stepped(grown.map((conversation) => conversation.grown))) {
    await database
      .insertInto('conversations')
      .values(values)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          message_count: eb.ref('excluded.message_count'),
          bytes: eb.ref('excluded.bytes'),
          updated_at: eb.ref('excluded.updated_at'),
        })),
      )
      .execute();
  }
}

const insertMessages = new RepeatedInsert('messages', skipKnown);
