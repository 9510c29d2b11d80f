import type { ExpectedQuality, QualityScale } from '../outlook/expected-quality.js';
import type { Basis, ModelAbilities, ModelAbility } from '../outlook/model-abilities.js';
import type { Appraisal } from '../plan.js';
import { createFindModel, type FindModel } from '../predictor/known-models.js';
import type { QualityPredictor } from '../predictor/quality-predictor.js';
import type { SeenRequest } from './seen-request.js';

/** What is expected of a candidate's answer, and where that is from. */
export interface CandidateQuality extends ExpectedQuality {
  readonly basis: Basis;
}

/** An ability that the configuration states is as sure as one with many results. */
const statedError = 0.1;
/** Below this, what was learned of models of 2024 is not worth reading the request for it. */
const minFamiliar = 0.15;

/**
 * Expects the quality of candidates: by their abilities and the request's difficulty; of models of
 * 2024, for requests like those of the benchmarks that they were measured on, also by what was
 * learned there.
 */
export class CandidateQualities {
  private readonly find: FindModel;

  constructor(
    private readonly predictor: QualityPredictor,
    private readonly scale: QualityScale,
    private readonly abilities: ModelAbilities,
  ) {
    this.find = createFindModel(predictor.weights.models);
  }

  expect(known: Appraisal, seen: SeenRequest): CandidateQuality {
    const ability = this.abilityOf(known);
    const { basis } = ability;
    const expected = this.scale.expect(seen.outlook, ability, known.effort);
    const familiar = 1 - seen.outlook.everyday;
    const place = familiar < minFamiliar ? -1 : measuredPlace(known, this.find);
    if (place < 0) return { ...expected, basis };
    const special = this.predictor.expect(seen.reading, place);
    const trust = familiar * seen.reading.gate;
    const move = trust * (special.quality - expected.quality);
    const [low, high] = expected.interval;
    return {
      basis,
      quality: expected.quality + move,
      uncertainty: trust * special.uncertainty + (1 - trust) * expected.uncertainty,
      interval: [Math.max(0, low + move), Math.min(1, high + move)],
    };
  }

  private abilityOf({ knownAs, abilityStated, figures, isFamilyKnown }: Appraisal): ModelAbility {
    const supposed = (): ModelAbility => this.abilities.supposed(figures.quality, !isFamilyKnown);
    if (abilityStated === null) return this.abilities.measured(knownAs) ?? supposed();
    if ('like' in abilityStated) return this.abilities.measured(abilityStated.like) ?? supposed();
    return { ...supposed(), ability: abilityStated.value, error: statedError, basis: 'measured' };
  }
}

/** The measured model of 2024 that a candidate is judged by; -1: by its ability alone. */
export function measuredPlace({ knownAs, abilityStated }: Appraisal, find: FindModel): number {
  if (abilityStated === null) return find(knownAs);
  return 'like' in abilityStated ? find(abilityStated.like) : -1;
}
