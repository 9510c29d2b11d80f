import type { ChunkChoice, ToolCallDelta } from '../../completion.js';

interface KnownCall {
  /** The provider's index, or the position in the chunk where it sent none. */
  key: number;
  id: string;
}

/**
 * Numbers the tool calls of a stream. Clients join the pieces of a call by `index`; some servers
 * omit it, and some send 0 for every call, so that only the ids tell the calls apart.
 */
export class ToolCallNumbering {
  private readonly choices = new Map<number, KnownCall[]>();

  /** True once a tool call has arrived. */
  get any(): boolean {
    return this.choices.size > 0;
  }

  /** Corrects the tool calls of a choice in place. @returns whether anything was changed */
  renumber(choice: ChunkChoice): boolean {
    const deltas = choice.delta.tool_calls;
    if (!Array.isArray(deltas) || deltas.length === 0) return false;
    const calls = this.choices.get(choice.index) ?? [];
    this.choices.set(choice.index, calls);
    let changed = false;
    for (const [position, delta] of deltas.entries()) {
      const index = numberOf(calls, delta, position);
      if (delta.index !== index) changed = true;
      delta.index = index;
      if (stringifyArguments(delta)) changed = true;
    }
    return changed;
  }
}

function numberOf(calls: KnownCall[], delta: Partial<ToolCallDelta>, position: number): number {
  const key = typeof delta.index === 'number' ? delta.index : position;
  const id = delta.id ?? '';
  const at = calls.findLastIndex((call) => call.key === key);
  const known = calls[at];
  if (known && (id === '' || known.id === '' || known.id === id)) {
    known.id ||= id;
    return at;
  }
  return calls.push({ key, id }) - 1;
}

/** Makes text of arguments that a server sent as an object. @returns whether it did */
function stringifyArguments({ function: called }: ToolCallDelta): boolean {
  const given: unknown = called?.arguments;
  if (!called || typeof given !== 'object') return false;
  called.arguments = given === null ? '' : JSON.stringify(given);
  return true;
}
