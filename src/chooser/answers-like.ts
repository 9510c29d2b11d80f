import { hasHabits } from './answer-length/model-habits.js';
import type { ReasoningEffort } from '../completion.js';
import { effortInName } from '../models/model-identity.js';
import type { StatedAbility } from '../models/model-facts.js';
import type { Appraisal } from './plan.js';

/** The effort that a stated ability names (`gpt-5-high`); null: none. */
export const effortLike = (stated: StatedAbility): ReasoningEffort | null =>
  'like' in stated ? effortInName(stated.like) : null;

/** A model by its habits of answering, and the effort that it answers at; null: its usual one. */
interface Answerer {
  readonly model: string;
  readonly effort: ReasoningEffort | null;
}

/**
 * Whose habits a candidate has: its own, or where nothing is known of it, those of the model that it
 * is stated to be as good as.
 */
export function answererOf({
  knownAs,
  abilityStated,
  effort,
}: Pick<Appraisal, 'knownAs' | 'abilityStated' | 'effort'>): Answerer {
  if (abilityStated === null || !('like' in abilityStated) || hasHabits(knownAs))
    return { model: knownAs, effort };
  return { model: abilityStated.like, effort: effort ?? effortLike(abilityStated) };
}
