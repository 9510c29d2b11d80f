import { isSystemMessage } from '../../history.js';
import { chunks } from '../columns.js';
import type { DigestedTurn, GrowingConversation } from './growing-conversation.js';
import type { Database } from '../tables.js';

/** The embedded database allows 1,000 nested conditions, and `or` nests them. */
const conditionsPerStatement = 200;
const digestsPerStatement = 1_000;
/**
 * How many stored messages are read beyond twice the number of sent ones: room for answers that
 * were generated several times.
 */
const spareMessages = 16;

/** Reads the last messages of the conversations, as many as these turns may need. */
export async function recallDialogues(
  database: Database,
  conversations: ReadonlyMap<string, GrowingConversation>,
  turns: readonly DigestedTurn[],
): Promise<void> {
  const since = new Map<string, number>();
  for (const {
    turn: { conversationId: id, history },
  } of turns) {
    const count = conversations.get(id)?.storedCount ?? 0;
    if (count > 0)
      since.set(id, Math.min(since.get(id) ?? count, count - 2 * history.length - spareMessages));
  }
  for (const some of chunks([...since], conditionsPerStatement)) {
    const rows = await database
      .selectFrom('messages')
      .select(['conversation_id', 'role', 'digest'])
      .where((eb) =>
        eb.or(
          some.map(([id, position]) =>
            eb.and([eb('conversation_id', '=', id), eb('position', '>=', position)]),
          ),
        ),
      )
      .orderBy('conversation_id')
      .orderBy('position')
      .execute();
    for (const row of rows) conversations.get(row.conversation_id)?.recall(row);
  }
}

/**
 * Finds out which of the sent system messages are stored: they may be anywhere in a conversation,
 * usually at its beginning.
 */
export async function recallSystemMessages(
  database: Database,
  conversations: ReadonlyMap<string, GrowingConversation>,
  turns: readonly DigestedTurn[],
): Promise<void> {
  const wanted = turns.flatMap(({ turn, digests }) => {
    const conversation = conversations.get(turn.conversationId);
    if (!conversation || conversation.storedCount === 0) return [];
    return digests
      .filter(
        (digest, index) =>
          isSystemMessage(turn.history[index]!) && !conversation.hasSystemMessage(digest),
      )
      .map((digest) => [turn.conversationId, digest] as const);
  });
  for (const some of chunks(wanted, digestsPerStatement)) {
    const rows = await database
      .selectFrom('messages')
      .select(['conversation_id', 'role', 'digest'])
      .where('conversation_id', 'in', [...new Set(some.map(([id]) => id))])
      .where('role', 'in', ['system', 'developer'])
      .where('digest', 'in', [...new Set(some.map(([, digest]) => digest))])
      .execute();
    for (const row of rows) conversations.get(row.conversation_id)?.recall(row);
  }
}
