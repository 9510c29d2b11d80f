import { abilityOf, judgedEffort } from '../outlook/ability-of.js';
import type { ExpectedQuality, QualityScale } from '../outlook/expected-quality.js';
import type { ModelAbilities, ModelAbility } from '../outlook/model-abilities.js';
import { logOdds, sigmoid } from '../../models/numbers.js';
import type { Appraisal } from '../plan.js';
import { createFindModel, type FindModel } from '../predictor/known-models.js';
import type { QualityPredictor } from '../predictor/quality-predictor.js';
import type { SeenRequest } from './seen-request.js';

/** The predictor of models of 2024. Its megabyte is read when the first request needs it. */
interface Earlier {
  readonly predictor: QualityPredictor;
  readonly find: FindModel;
  readonly references: readonly { readonly place: number; readonly ability: ModelAbility }[];
}

/** Requests less like benchmarks than this are not read with the predictor of 2024. */
const minFamiliar = 0.5;
/** How many models of 2024 the level is computed from. */
const maxReferences = 6;

/**
 * Expects the quality of candidates by their abilities and the request's difficulty. For models of
 * 2024 and requests like the benchmarks of that year it also uses the predictor that was fitted to
 * these benchmarks.
 */
export class CandidateQualities {
  private read: Earlier | undefined;
  /** The request that was asked about last; excluded candidates are asked about after the others. */
  private last: { readonly seen: SeenRequest; readonly level: number | null } | null = null;

  constructor(
    private readonly predictor: () => QualityPredictor,
    private readonly scale: QualityScale,
    private readonly abilities: ModelAbilities,
  ) {}

  expect(candidates: readonly Appraisal[], seen: SeenRequest): ExpectedQuality[] {
    if (this.last?.seen !== seen) this.last = { seen, level: this.levelFor(candidates, seen) };
    const { level } = this.last;
    return candidates.map((one) => this.expectOne(one, seen, level));
  }

  private expectOne(known: Appraisal, seen: SeenRequest, level: number | null): ExpectedQuality {
    const ability = abilityOf(this.abilities, known);
    const expected = this.scale.expect(seen.outlook, ability, judgedEffort(known));
    const place = level === null ? -1 : measuredPlace(known, this.earlier.find);
    if (level === null || place < 0) return expected;
    const special = this.earlier.predictor.expect(seen.reading, place);
    const trust = (1 - seen.outlook.everyday) * seen.reading.gate;
    const odds = logOdds(special.quality) - level;
    const move = trust * (sigmoid(odds) - expected.quality);
    const [low, high] = expected.interval;
    return {
      basis: expected.basis,
      quality: expected.quality + move,
      uncertainty: trust * special.uncertainty + (1 - trust) * expected.uncertainty,
      interval: [Math.max(0, low + move), Math.min(1, high + move)],
    };
  }

  /**
   * By how much the predictor of 2024 rates all its models higher on such requests than their
   * abilities do, in log odds. It is subtracted from each prediction, so that only differences
   * between these models count and newer models are judged by the same scale. Null if the predictor
   * is not used: for everyday requests, or if most candidates are newer.
   */
  private levelFor(candidates: readonly Appraisal[], seen: SeenRequest): number | null {
    if (1 - seen.outlook.everyday < minFamiliar) return null;
    const { predictor, find, references } = this.earlier;
    const measured = candidates.filter((one) => measuredPlace(one, find) >= 0).length;
    if (2 * measured < candidates.length) return null;
    let level = 0;
    for (const { place, ability } of references) {
      const special = predictor.expect(seen.reading, place).quality;
      const { quality } = this.scale.expect(seen.outlook, ability, null);
      level += (logOdds(special) - logOdds(quality)) / references.length;
    }
    return level;
  }

  private get earlier(): Earlier {
    return (this.read ??= earlierOf(this.predictor(), this.abilities));
  }
}

function earlierOf(predictor: QualityPredictor, abilities: ModelAbilities): Earlier {
  const { models } = predictor.weights;
  const references = models.flatMap((name, place) => {
    const ability = abilities.measured(name);
    return ability === null ? [] : [{ place, ability, tasks: measuredTasks(predictor, place) }];
  });
  references.sort((a, b) => b.tasks - a.tasks);
  return {
    predictor,
    find: createFindModel(models),
    references: references.slice(0, maxReferences),
  };
}

/** On how many kinds of task a model was measured. */
function measuredTasks({ weights: { models, counts } }: QualityPredictor, model: number): number {
  let tasks = 0;
  for (let at = model; at < counts.length; at += models.length) if (counts[at]! > 0) tasks++;
  return tasks;
}

/** The place of the model of 2024 that a candidate is judged by; -1: by its ability alone. */
function measuredPlace({ knownAs, abilityStated }: Appraisal, find: FindModel): number {
  if (abilityStated === null) return find(knownAs);
  return 'like' in abilityStated ? find(abilityStated.like) : -1;
}
