import type { Caller } from '../../accounts/caller.js';
import type { Plan } from '../../chooser/plan.js';
import { packCandidates } from '../../store/packed-candidates.js';
import type { NewChoice } from '../../store/contracts/choices.js';
import type { NewSelection } from '../../store/contracts/requests.js';
import { type KeptContent, storedContent } from './kept-content.js';
import { cut, keptPlan } from './kept-plan.js';

/**
 * A decision of model selection until it is written: its row, except for the content. It holds no
 * plan, because the garbage collector would copy the objects of all waiting decisions again and
 * again, which takes longer than writing them.
 */
export interface Decision extends Omit<NewSelection, 'content'> {
  readonly content: KeptContent | null;
  /** Absent: there was nothing to choose from. */
  readonly choice?: NewChoice;
}

/** What is stored of a decision besides its plan. */
export type DecisionLinks = Pick<
  Decision,
  'previousId' | 'tradeoff' | 'preferenceId' | 'choice' | 'content'
>;

const maxLabel = 1_024;

/** What is stored of a decision that has just been made. */
export function decisionOf(
  plan: Plan,
  { accountId, keyId }: Caller,
  links: DecisionLinks,
): Decision {
  const { reason, gate, kinds, candidates } = keptPlan(plan);
  // stored with the first candidate: the row has no columns for these two
  const more = gate === undefined ? null : { gate, ...(kinds ? { kinds } : {}) };
  return {
    id: plan.id,
    accountId,
    keyId,
    at: Date.now(),
    label: cut(plan.candidates[0].label, maxLabel),
    reason,
    candidates: packCandidates(candidates, more),
    ...links,
  };
}

/** The row of a decision. @param salt for content of which only a hash is stored */
export const selectionRowOf = (
  { content, choice: _choice, ...row }: Decision,
  salt: Buffer | null,
): NewSelection => ({ content: storedContent(content, salt), ...row });
