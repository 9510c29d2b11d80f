import { sigmoid, thousandths } from '../../models/numbers.js';
import type { Appraisal } from '../plan.js';
import { abilityOf } from './ability-of.js';
import { deviations } from './expected-quality.js';
import { type Basis, type ModelAbility, shippedAbilities } from './model-abilities.js';
import { shippedOutlook } from './shipped-outlook.js';

/**
 * A model's ability as the share of tasks done well, of tasks of which a usual model of 2024 does
 * half. Nine times of ten it lies within the interval.
 */
export interface ShownAbility {
  readonly quality: number;
  readonly interval: readonly [low: number, high: number];
}

/** The ability for one kind of task. */
export interface AbilityForKind extends ShownAbility {
  readonly kind: string;
  /**
   * Whether published results of the model are of this kind or of related ones; else it is as in
   * general, less sure.
   */
  readonly measured: boolean;
}

/** What is known of a model's abilities. */
export interface AbilitiesByKind extends ShownAbility {
  readonly basis: Basis;
  readonly kinds: readonly AbilityForKind[];
}

/** The abilities of a model, in general and for each kind of task, for people. */
export function abilitiesByKind(
  known: Pick<Appraisal, 'knownAs' | 'abilityStated' | 'figures' | 'isFamilyKnown'>,
): AbilitiesByKind {
  const abilities = shippedAbilities();
  const model = abilityOf(abilities, known);
  const kinds = abilities.kindNames.map((kind, place): AbilityForKind => {
    const own = model.kinds[place] ?? NaN;
    const measured = !Number.isNaN(own);
    return { kind, measured, ...shownAt(model, measured ? own : 0, model.kindErrors[place]!) };
  });
  return { basis: model.basis, ...shownAt(model, 0, model.error), kinds };
}

function shownAt({ ability }: ModelAbility, by: number, error: number): ShownAbility {
  const { slope } = shippedOutlook().weights;
  const reach = deviations * error;
  const at = (odds: number): number => thousandths(sigmoid(slope * odds));
  return {
    quality: at(ability + by),
    interval: [at(ability + by - reach), at(ability + by + reach)],
  };
}
