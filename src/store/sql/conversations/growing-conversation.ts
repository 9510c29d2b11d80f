import type { Insertable, Selectable } from 'kysely';
import type { NewMessage, Turn } from '../../contracts/conversations.js';
import { digestOf, firstUnstored, isSystemMessage } from '../../history.js';
import { chunks, clean, toJson } from '../columns.js';
import type { ConversationTable, Database, MessageTable } from '../tables.js';

/** A turn with the digests of its messages, for comparison with stored ones. */
interface DigestedTurn {
  readonly turn: Turn;
  /** Of `turn.history`, in its order. */
  readonly digests: readonly string[];
}

/** Computes the digests of a turn's messages. */
export function digestTurn(turn: Turn): DigestedTurn {
  return { turn, digests: turn.history.map(digestOf) };
}

/** A locked conversation: what is known of its stored messages, and those to add. */
export class GrowingConversation {
  readonly added: Insertable<MessageTable>[] = [];
  /** Digests of its last messages, oldest first. */
  private readonly dialogue: string[] = [];
  private readonly systemMessages = new Set<string>();

  constructor(private readonly row: Selectable<ConversationTable>) {}

  get accountId(): string {
    return this.row.account_id;
  }

  get storedCount(): number {
    return this.row.message_count;
  }

  /**
   * Registers a stored message. Messages of the dialogue must come in order, up to the last one;
   * system messages in any order.
   */
  recall(message: { readonly role: string; readonly digest: string }): void {
    if (isSystemMessage(message)) this.systemMessages.add(message.digest);
    else this.dialogue.push(message.digest);
  }

  /** Whether a system message is registered as stored. */
  hasSystemMessage(digest: string): boolean {
    return this.systemMessages.has(digest);
  }

  /** Adds the new messages of a turn, and its answer. */
  grow({ turn, digests }: DigestedTurn): void {
    let known = firstUnstored(
      this.dialogue,
      digests.filter((_, index) => !isSystemMessage(turn.history[index]!)),
    );
    for (const [index, message] of turn.history.entries()) {
      const digest = digests[index]!;
      if (isSystemMessage(message)) {
        if (!this.systemMessages.has(digest)) this.add(turn, message, digest);
      } else if (known > 0) known -= 1;
      else this.add(turn, message, digest);
    }
    this.add(turn, turn.answer, digestOf(turn.answer));
  }

  /** The row of the conversation after the additions. */
  get grown(): Insertable<ConversationTable> {
    return {
      ...this.row,
      message_count: this.row.message_count + this.added.length,
      bytes: this.added.reduce(
        (sum, { content }) => sum + Buffer.byteLength(content),
        this.row.bytes,
      ),
      updated_at: this.added.reduce(
        (latest, message) => Math.max(latest, message.created_at),
        this.row.updated_at,
      ),
    };
  }

  private add(turn: Turn, message: NewMessage, digest: string): void {
    this.recall({ role: message.role, digest });
    this.added.push({
      id: message.id,
      conversation_id: turn.conversationId,
      position: this.row.message_count + this.added.length,
      role: clean(message.role),
      content: toJson(message.content) ?? 'null',
      digest,
      provider: clean(message.provider),
      model: clean(message.model),
      finish_reason: clean(message.finishReason),
      usage: toJson(message.usage),
      cost_usd: Number.isFinite(message.costUsd) ? message.costUsd : null,
      created_at: turn.at,
    });
  }
}

/** The embedded database allows 1,000 nested conditions, and `or` nests them. */
const conditionsPerStatement = 200;
const digestsPerStatement = 1_000;
/** Messages read beyond twice the sent ones: answers may have been generated several times. */
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

/** Finds which sent system messages are stored, anywhere in a conversation. */
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
