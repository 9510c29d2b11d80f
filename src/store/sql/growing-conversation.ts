import type { Insertable, Selectable } from 'kysely';
import type { NewMessage, Turn } from '../contracts/conversations.js';
import { digestOf, setsTheScene, unstored } from '../history.js';
import { clean, toJson } from './columns.js';
import type { ConversationTable, MessageTable } from './tables.js';

/** A turn whose messages can be compared with those that are stored. */
export interface DigestedTurn {
  readonly turn: Turn;
  /** Of `turn.history`, in its order. */
  readonly digests: readonly string[];
}

/** Takes the digests of a turn's messages, once. */
export function digestTurn(turn: Turn): DigestedTurn {
  return { turn, digests: turn.history.map(digestOf) };
}

/** A conversation as far as it is known in a transaction that holds it, and the messages that are to be added to it. */
export class GrowingConversation {
  readonly added: Insertable<MessageTable>[] = [];
  /** Digests of its last messages, oldest first. */
  private readonly dialogue: string[] = [];
  /** Digests of its system messages. */
  private readonly scene = new Set<string>();

  constructor(private readonly row: Selectable<ConversationTable>) {}

  get accountId(): string {
    return this.row.account_id;
  }

  /** How many messages are stored. */
  get storedCount(): number {
    return this.row.message_count;
  }

  /** Takes note of a stored message. Those of the dialogue must come in order, and up to the last one; system messages as they may. */
  recall(message: { readonly role: string; readonly digest: string }): void {
    if (setsTheScene(message)) this.scene.add(message.digest);
    else this.dialogue.push(message.digest);
  }

  /** Whether a system message is known to be stored. */
  hasScene(digest: string): boolean {
    return this.scene.has(digest);
  }

  /** Adds what is new of a turn: messages that are not stored yet, and the answer. */
  grow({ turn, digests }: DigestedTurn): void {
    let known = unstored(
      this.dialogue,
      digests.filter((_, index) => !setsTheScene(turn.history[index]!)),
    );
    for (const [index, message] of turn.history.entries()) {
      const digest = digests[index]!;
      if (setsTheScene(message)) {
        if (!this.scene.has(digest)) this.add(turn, message, digest);
      } else if (known > 0) known -= 1;
      else this.add(turn, message, digest);
    }
    this.add(turn, turn.answer, digestOf(turn.answer));
  }

  /** The conversation with what was added. */
  get grown(): Insertable<ConversationTable> {
    return {
      ...this.row,
      message_count: this.row.message_count + this.added.length,
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
