import { LRUCache } from 'lru-cache';
import type { ChatMessage, ToolCall } from '../../completion.js';

/** A turn in which a model called tools of the gateway and of its client at once. */
export interface MixedTurn {
  /** All calls, in the model's order. */
  readonly calls: readonly ToolCall[];
  /** The results of the gateway's. */
  readonly results: readonly ChatMessage[];
  /** The calls that the client was given. */
  readonly others: readonly ToolCall[];
}

const keptMs = 3_600_000;
const maxBytes = 64 * 1024 * 1024;

/**
 * Results of the gateway's tools that came beside calls of the client's, until the client answers
 * its own: for an hour, and as long as there is room. Another replica does not have them: the model
 * then sees the client's results alone.
 */
export class KeptToolResults {
  private readonly turns = new LRUCache<string, MixedTurn>({ maxSize: maxBytes, ttl: keptMs });

  keep(accountId: string, turn: MixedTurn): void {
    const size = Math.max(1, JSON.stringify(turn).length);
    for (const { id } of turn.others) this.turns.set(turnKey(accountId, id), turn, { size });
  }

  /** The messages with what the gateway's tools have found beside the client's results. */
  joined(accountId: string, messages: readonly ChatMessage[]): ChatMessage[] {
    return messages.flatMap((message) => {
      const { role, tool_calls: calls } = message;
      if (role !== 'assistant' || !calls?.length) return [message];
      const known = calls.map(({ id }) => this.turns.get(turnKey(accountId, id)));
      const turn = known.find((one) => one !== undefined);
      if (!turn) return [message];
      return [{ ...message, tool_calls: [...turn.calls] }, ...turn.results];
    });
  }
}

const turnKey = (accountId: string, callId: string): string => `${accountId}\0${callId}`;
