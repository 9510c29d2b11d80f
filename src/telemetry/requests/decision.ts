import type { Caller } from '../../accounts/caller.js';
import type { Plan } from '../../routing/plan.js';
import { packCandidates } from '../../store/sql/packed-candidates.js';
import type { NewSelection } from '../../store/contracts/requests.js';
import { type KeptContent, storedContent } from './kept-content.js';
import { cut, keptPlan } from './kept-plan.js';

/**
 * A model that was chosen, until it is written: its row but for the content. It holds no plan, for the garbage collector would copy the objects of
 * all that wait again and again, which takes longer than to write them.
 */
export interface Decision extends Omit<NewSelection, 'content'> {
  readonly content: KeptContent | null;
}

/** What is kept of a decision besides its plan. */
export type DecisionLinks = Pick<Decision, 'previousId' | 'tradeoff' | 'preferenceId' | 'content'>;

const longestLabel = 1_024;

/** Takes what is kept of a decision that has just been made. */
export function decisionOf(
  plan: Plan,
  { accountId, keyId }: Caller,
  links: DecisionLinks,
): Decision {
  const {
    reason,
    gate,
    kinds,
    candidates: [first, ...others],
  } = keptPlan(plan);
  // with the first one, for the row has no place of their own for them
  const told =
    first === undefined || gate === undefined
      ? first
      : { ...first, gate, ...(kinds ? { kinds } : {}) };
  return {
    id: plan.id,
    accountId,
    keyId,
    at: Date.now(),
    label: cut(plan.candidates[0].label, longestLabel),
    reason,
    candidates: packCandidates(told === undefined ? [] : [told, ...others]),
    ...links,
  };
}

/** The row of a decision. @param salt for content of which only a hash is kept */
export function selectionRowOf({ content, ...row }: Decision, salt: Buffer | null): NewSelection {
  return { ...row, content: storedContent(content, salt) };
}
