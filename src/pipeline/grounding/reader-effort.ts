import { efforts } from '../../completion.js';
import { habitsOf } from '../../routing/answer-length/model-habits.js';
import { reasoningRuleOf } from '../../routing/model-families.js';
import type { ModelFacts } from '../../routing/model-facts.js';
import { canonicalName } from '../../routing/model-name.js';
import type { Candidate } from '../../routing/plan.js';

/** For a model that may think although nothing is known of it. */
const minRoom = 1_000;
/** More than that would use up the budget of a run. */
const maxRoom = 6_000;
/** Some pages are thought about for longer than others. */
const roomForOne = 2;
/** Of a context, at most. */
const maxContextShare = 0.125;

/** A candidate as it is asked to read: it thinks as little as it can. */
export function asReader(candidate: Candidate, facts: ModelFacts): Candidate {
  const { effort: _effort, ...rest } = candidate;
  const rule = reasoningRuleOf(canonicalName(facts.knownAs));
  // who states an effort for a model says that it takes one
  const effort = rule?.lowest ?? (rule === null && facts.reasoningEffort ? 'low' : null);
  return effort === null ? rest : { ...rest, effort };
}

/**
 * The tokens that a reader may need to think before its answer: they count as its answer, so that
 * without them nothing may be left of a short one.
 * @param reader as `asReader` returns it
 */
export function thinkingRoom({ effort }: Candidate, facts: ModelFacts): number {
  const { knownAs, contextLength } = facts;
  const rule = reasoningRuleOf(canonicalName(knownAs));
  // a family that cannot think, or does so only on request
  if (rule && (rule.usual === null || rule.usual === 'none' || effort === 'none')) return 0;
  const { reasoning, usualEffort } = habitsOf(knownAs);
  const mean = reasoning[efforts.indexOf(effort ?? usualEffort)] ?? 0;
  const room = Math.min(maxRoom, Math.max(minRoom, Math.ceil(roomForOne * mean)));
  return contextLength === null
    ? room
    : Math.min(room, Math.floor(contextLength * maxContextShare));
}
