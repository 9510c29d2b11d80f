import { efforts } from '../../completion.js';
import { habitsOf } from '../../chooser/answer-length/model-habits.js';
import { reasoningRuleOf } from '../../models/model-families.js';
import type { ModelFacts } from '../../models/model-facts.js';
import type { Candidate } from '../../chooser/plan.js';

/** More than that would use up the budget of a run. */
const maxRoom = 6_000;
/** Some questions are thought about for longer than others. */
const roomForOne = 2;
/** For a model that takes an effort, and of which nothing else is known. */
const guessedRoom = 1_000;
/** Of a context, at most. */
const maxContextShare = 0.125;

/** A candidate as it is asked to read: it thinks as little as it can. */
export function asReader(candidate: Candidate, facts: ModelFacts): Candidate {
  const { effort: _effort, ...rest } = candidate;
  const rule = reasoningRuleOf(facts.knownAs);
  // who states an effort for a model says that it takes one
  const effort = rule?.lowest ?? (rule === null && facts.reasoningEffort ? 'low' : null);
  return effort === null ? rest : { ...rest, effort };
}

/**
 * The tokens that a candidate may need to think before its answer: they count as its answer, so that
 * without them nothing may be left of a short one.
 * @param ifUnknown for a model of which nobody knows whether it thinks
 */
export function thinkingRoom({ effort }: Candidate, facts: ModelFacts, ifUnknown: number): number {
  const { knownAs, contextLength } = facts;
  const rule = reasoningRuleOf(knownAs);
  const { reasoning, usualEffort } = habitsOf(knownAs);
  const asked = effort ?? usualEffort;
  const mean = reasoning[efforts.indexOf(asked)] ?? 0;
  const known = Math.min(maxRoom, Math.ceil(roomForOne * mean));
  const guessed = asked === 'none' ? ifUnknown : guessedRoom;
  const room = rule === null ? guessed : known;
  return contextLength === null
    ? room
    : Math.min(room, Math.floor(contextLength * maxContextShare));
}
