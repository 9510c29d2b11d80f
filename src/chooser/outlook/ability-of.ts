import { habitsOf, hasHabits } from '../../models/model-habits.js';
import type { ReasoningEffort } from '../../completion.js';
import { effortInName } from '../../models/model-identity.js';
import type { StatedAbility } from '../../models/model-facts.js';
import type { Appraisal } from '../plan.js';
import type { ModelAbilities, ModelAbility } from './model-abilities.js';

type Known = Pick<Appraisal, 'knownAs' | 'abilityStated' | 'figures' | 'isFamilyKnown'>;

/** What is known of a candidate's model: as the configuration states it, or as published. */
export function abilityOf(abilities: ModelAbilities, known: Known): ModelAbility {
  const { knownAs, abilityStated } = known;
  if (abilityStated === null) return abilities.measured(knownAs) ?? supposed(abilities, known);
  if ('like' in abilityStated)
    return abilities.measured(abilityStated.like) ?? supposed(abilities, known);
  return abilities.stated(supposed(abilities, known), abilityStated.value);
}

/**
 * The effort that a candidate's quality is expected at; null: its usual one. A model that is stated
 * to be as good as another one at an effort (`gpt-5-high`) is that at any effort of its own.
 */
export function judgedEffort({
  effort,
  abilityStated,
}: Pick<Appraisal, 'effort' | 'abilityStated'>): ReasoningEffort | null {
  return (abilityStated === null ? null : effortLike(abilityStated)) ?? effort;
}

function supposed(
  abilities: ModelAbilities,
  { knownAs, figures, isFamilyKnown }: Known,
): ModelAbility {
  const { reasoning, defaultEffort } = habitsOf(knownAs);
  const reasons = reasoning.some((tokens) => tokens > 0);
  return abilities.supposed(figures.quality, !isFamilyKnown, reasons ? defaultEffort : null);
}

/** The effort that a stated ability names (`gpt-5-high`); null: none. */
const effortLike = (stated: StatedAbility): ReasoningEffort | null =>
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
