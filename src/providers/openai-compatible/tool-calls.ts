import type { ChunkChoice, ToolCallDelta } from '../../completion.js';

interface KnownCall {
  /** The number that the provider gave it. */
  key: number;
  id: string;
}

/**
 * Gives each tool call of a stream a number of its own. Clients put calls together by `index`; some servers leave it out, and some number
 * every call 0, so that only the ids tell them apart.
 */
export class CallNumbers {
  private readonly choices = new Map<number, KnownCall[]>();

  /** A call has come. */
  get any(): boolean {
    return this.choices.size > 0;
  }

  /** Corrects the deltas of a choice in place. @returns whether anything was changed */
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
      if (spellArguments(delta)) changed = true;
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

/** Arguments are text; some servers send the object itself. */
function spellArguments({ function: called }: ToolCallDelta): boolean {
  const given: unknown = called?.arguments;
  if (!called || typeof given !== 'object') return false;
  called.arguments = given === null ? '' : JSON.stringify(given);
  return true;
}
