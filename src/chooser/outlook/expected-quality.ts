import type { ReasoningEffort } from '../../completion.js';
import { deviations } from '../figures.js';
import { lengthOf, sigmoid } from '../../models/numbers.js';
import type { Basis, ModelAbilities, ModelAbility } from './model-abilities.js';
import { levelOf } from '../../models/model-tables.js';
import { longDocument, type Outlook, type Share } from './read-outlook.js';
import type { OutlookWeights } from './outlook-weights.js';

/** What is expected of a model's answer. */
export interface ExpectedQuality {
  /** Where what is known of the model is from. */
  readonly basis: Basis;
  /** 0..1. */
  readonly quality: number;
  /** Its standard deviation as far as it is due to the model, without the request's difficulty. */
  readonly uncertainty: number;
  /** The 90 % interval of the quality. */
  readonly interval: readonly [low: number, high: number];
}

/**
 * Near the ceiling of quality the computed uncertainty vanishes, because the curve is flat there. No
 * published result measures quality better than this (docs/decisions/0068).
 */
const defaultMinUncertainty = 0.0009;

/** Expects the quality of a model's answer to a request, in less than a microsecond. */
export class QualityScale {
  /** By kind of request: the place of the kind of task that it is judged by. */
  private readonly places: ReadonlyMap<string, number>;
  /** Caches the kinds of the last request: its candidates are asked about one after the other. */
  private last: { readonly kinds: readonly Share[]; readonly places: readonly number[] } = {
    kinds: [],
    places: [],
  };

  constructor(
    private readonly weights: OutlookWeights,
    { kindNames }: Pick<ModelAbilities, 'kindNames'>,
  ) {
    this.places = new Map(
      [...weights.kinds, longDocument].map(({ name, ability }) => [
        name,
        kindNames.indexOf(ability),
      ]),
    );
  }

  /** What to expect of a model of some ability, at an effort. */
  expect(outlook: Outlook, known: ModelAbility, effort: ReasoningEffort | null): ExpectedQuality {
    const { slope, difficultyError } = this.weights;
    const { ceiling, minUncertainty = defaultMinUncertainty } = outlook;
    const places = this.placesOf(outlook.kinds);
    // inline, without an object for each candidate: what the request's kinds of task add to ability
    // and variance. Errors of different kinds are independent
    const own = known.error * known.error;
    let by = 0,
      whole = 0,
      more = 0;
    for (let at = 0; at < places.length; at++) {
      const { share } = outlook.kinds[at]!,
        place = places[at]!,
        ofKind = known.kinds[place] ?? NaN,
        error = known.kindErrors[place] ?? known.error;
      whole += share;
      more += share * share * (error * error - own);
      if (!Number.isNaN(ofKind)) by += share * ofKind;
    }
    let ability = known.ability + (whole === 0 ? 0 : by / whole);
    for (const { name, share } of outlook.languages)
      ability += share * (known.languages[name] ?? 0);
    if (effort !== null) ability += known.efforts[levelOf(effort)] ?? 0;
    const error = Math.sqrt(Math.max(0, whole === 0 ? own : own + more / (whole * whole)));
    const above = ability - outlook.difficulty,
      share = sigmoid(slope * above);
    const reach = deviations * lengthOf(error, difficultyError);
    return {
      basis: known.basis,
      quality: ceiling * share,
      uncertainty: Math.max(minUncertainty, ceiling * slope * share * (1 - share) * error),
      interval: [
        ceiling * sigmoid(slope * (above - reach)),
        ceiling * sigmoid(slope * (above + reach)),
      ],
    };
  }

  /** Looked up once for all candidates of a request. */
  private placesOf(kinds: readonly Share[]): readonly number[] {
    if (this.last.kinds !== kinds)
      this.last = { kinds, places: kinds.map(({ name }) => this.places.get(name)!) };
    return this.last.places;
  }
}
