import { habitsOf, hasHabits } from '../../models/model-habits.js';
import type { ReasoningEffort } from '../../completion.js';
import { effortInName } from '../../models/model-identity.js';
import type { StatedAbility } from '../../models/model-facts.js';
import type { Appraisal } from '../plan.js';
import { type ModelAbilities, type ModelAbility, shippedAbilities } from './model-abilities.js';
import { sigmoid, thousandths } from '../../models/numbers.js';
import { deviations } from '../figures.js';
import { shippedOutlook } from './shipped-outlook.js';

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
 * The effort at which a candidate's quality is expected; null: its default. If its ability is
 * stated as that of another model at some effort (`gpt-5-high`), that effort counts, not its own.
 */
export const judgedEffort = ({
  effort,
  abilityStated,
}: Pick<Appraisal, 'effort' | 'abilityStated'>): ReasoningEffort | null =>
  (abilityStated === null ? null : effortLike(abilityStated)) ?? effort;

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

/**
 * Whose habits of answering a candidate has: its own, else those of the model it is stated to be as
 * good as; and the effort that it answers at, null: the usual one.
 */
export function answererOf({
  knownAs,
  abilityStated,
  effort,
}: Pick<Appraisal, 'knownAs' | 'abilityStated' | 'effort'>): {
  model: string;
  effort: ReasoningEffort | null;
} {
  if (abilityStated === null || !('like' in abilityStated) || hasHabits(knownAs))
    return { model: knownAs, effort };
  return { model: abilityStated.like, effort: effort ?? effortLike(abilityStated) };
}

/** The abilities of a model, in general and for each kind of task, for people. */
export function abilitiesByKind(known: Known) {
  const abilities = shippedAbilities();
  const model = abilityOf(abilities, known);
  const kinds = abilities.kindNames.map((kind, place) => {
    const own = model.kinds[place] ?? NaN;
    // whether results of this kind or related ones are published; else as in general, less sure
    const measured = !Number.isNaN(own);
    return { kind, measured, ...shownAt(model, measured ? own : 0, model.kindErrors[place]!) };
  });
  return { basis: model.basis, ...shownAt(model, 0, model.error), kinds };
}

/**
 * An ability as the share of tasks done well, of tasks of which a typical model of 2024 does half,
 * with its 90 % interval.
 */
function shownAt({ ability }: ModelAbility, by: number, error: number) {
  const { slope } = shippedOutlook().weights;
  const reach = deviations * error;
  const at = (odds: number): number => thousandths(sigmoid(slope * odds));
  return {
    quality: at(ability + by),
    interval: [at(ability + by - reach), at(ability + by + reach)],
  };
}
