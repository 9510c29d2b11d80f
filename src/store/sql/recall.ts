import { setsTheScene } from '../history.js';
import { chunks } from './columns.js';
import type { DigestedTurn, GrowingConversation } from './growing-conversation.js';
import type { Database } from './tables.js';

/** Conditions may be nested 1,000 deep in an embedded database, and `or` nests them. */
const conditionsPerStatement = 200;
const digestsPerStatement = 1_000;
/** How many stored messages are looked at beyond twice those sent: room for answers that were asked for again and again. */
const spareMessages = 16;

/** Tells conversations of their last messages: as many as these turns may need. */
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

/** Tells conversations which of the system messages that were sent are stored anywhere: they stand at the beginning, long before the last messages. */
export async function recallScenes(
  database: Database,
  conversations: ReadonlyMap<string, GrowingConversation>,
  turns: readonly DigestedTurn[],
): Promise<void> {
  const wanted = turns.flatMap(({ turn, digests }) => {
    const conversation = conversations.get(turn.conversationId);
    if (!conversation || conversation.storedCount === 0) return [];
    return digests
      .filter(
        (digest, index) => setsTheScene(turn.history[index]!) && !conversation.hasScene(digest),
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
