import type { Appraisal } from '../plan.js';
import type { ModelAbilities, ModelAbility } from './model-abilities.js';

/** An ability that the configuration states is as sure as one with many results. */
const statedError = 0.1;

/** What is known of a candidate's model: as the configuration states it, or as published. */
export function abilityOf(
  abilities: ModelAbilities,
  {
    knownAs,
    abilityStated,
    figures,
    isFamilyKnown,
  }: Pick<Appraisal, 'knownAs' | 'abilityStated' | 'figures' | 'isFamilyKnown'>,
): ModelAbility {
  const supposed = (): ModelAbility => abilities.supposed(figures.quality, !isFamilyKnown);
  if (abilityStated === null) return abilities.measured(knownAs) ?? supposed();
  if ('like' in abilityStated) return abilities.measured(abilityStated.like) ?? supposed();
  return { ...supposed(), ability: abilityStated.value, error: statedError, basis: 'measured' };
}
