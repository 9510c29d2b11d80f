import type { Caller } from '../accounts/caller.js';
import type { Plan } from '../routing/plan.js';
import type { SelectionRow } from '../store/request-records.js';
import { type KeptContent, storedContent } from './kept-content.js';
import { cut, keptPlan } from './kept-plan.js';

/** A model that was chosen, until it is written. */
export interface Decision {
  readonly plan: Plan;
  readonly caller: Caller;
  readonly at: number;
  /** The session that it continues. */
  readonly previousId: string | null;
  readonly tradeoff: string | null;
  readonly preferenceId: string | null;
  readonly content: KeptContent | null;
}

const longestLabel = 1_024;

/** The row of a decision. @param salt for content of which only a hash is kept */
export function selectionRowOf({ plan, caller, at, previousId, tradeoff, preferenceId, content }: Decision, salt: Buffer | null): SelectionRow {
  const { reason, gate, kinds, candidates: [first, ...others] } = keptPlan(plan);
  return {
    id: plan.id, accountId: caller.accountId, keyId: caller.keyId, previousId, at, label: cut(plan.candidates[0].label, longestLabel),
    // with the first one, for the row has no place of their own for them
    candidates: gate === undefined ? [first, ...others] : [{ ...first, gate, ...(kinds ? { kinds } : {}) }, ...others], reason, tradeoff, preferenceId, content: storedContent(content, salt),
  };
}
