import type { Insertable, Selectable } from 'kysely';
import type { NewMessage, Turn } from '../../contracts/conversations.js';
import { digestOf, isSystemMessage, firstUnstored } from '../../history.js';
import { clean, toJson } from '../columns.js';
import type { ConversationTable, MessageTable } from '../tables.js';

/** A turn with the digests of its messages, for comparison with stored ones. */
export interface DigestedTurn {
  readonly turn: Turn;
  /** Of `turn.history`, in its order. */
  readonly digests: readonly string[];
}

/** Computes the digests of a turn's messages. */
export function digestTurn(turn: Turn): DigestedTurn {
  return { turn, digests: turn.history.map(digestOf) };
}

/**
 * A conversation in a transaction that has locked it: what is known of its stored messages, and the
 * messages to add.
 */
export class GrowingConversation {
  readonly added: Insertable<MessageTable>[] = [];
  /** Digests of its last messages, oldest first. */
  private readonly dialogue: string[] = [];
  /** Digests of its system messages. */
  private readonly systemMessages = new Set<string>();

  constructor(private readonly row: Selectable<ConversationTable>) {}

  get accountId(): string {
    return this.row.account_id;
  }

  /** How many messages are stored. */
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
      bytes: this.added.reduce((sum, { content }) => sum + content.length, this.row.bytes),
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
      content: JSON.stringify(message.content ?? null),
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
