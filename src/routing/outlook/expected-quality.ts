import type { ReasoningEffort } from '../../completion.js';
import { lengthOf, sigmoid } from '../numbers.js';
import type { Basis, ModelAbilities, ModelAbility } from './model-abilities.js';
import type { Outlook, Share } from './read-outlook.js';
import type { OutlookWeights } from './outlook-weights.js';

/** What is expected of a model's answer. */
export interface ExpectedQuality {
  /** Where what is known of the model is from. */
  readonly basis: Basis;
  /** 0..1. */
  readonly quality: number;
  /** Its standard deviation, as far as it is the model's: all models share the request's. */
  readonly uncertainty: number;
  /** Nine times of ten the quality lies between these. */
  readonly interval: readonly [low: number, high: number];
}

/** Half of an interval that holds nine of ten, in standard deviations. */
export const deviations = 1.645;
/** Levels that published results do not tell from another one. */
const levels: Readonly<Partial<Record<ReasoningEffort, string>>> = {
  minimal: 'none',
  max: 'xhigh',
};

/** Expects qualities of requests. Asked for each candidate of each request: takes no microsecond. */
export class QualityScale {
  private readonly unmeasuredKind: number;
  /** By kind of request: the place of the kind of task that it is judged by. */
  private readonly places: ReadonlyMap<string, number>;
  /** The kinds of the request that was asked about last: its candidates are asked about in turn. */
  private last: { readonly kinds: readonly Share[]; readonly places: readonly number[] } = {
    kinds: [],
    places: [],
  };

  constructor(
    private readonly weights: OutlookWeights,
    { kindNames, unmeasuredKind }: Pick<ModelAbilities, 'kindNames' | 'unmeasuredKind'>,
  ) {
    this.unmeasuredKind = unmeasuredKind;
    this.places = new Map(
      weights.kinds.map(({ name, ability }) => [name, kindNames.indexOf(ability)]),
    );
  }

  /** What to expect of a model of some ability, at an effort. */
  expect(outlook: Outlook, known: ModelAbility, effort: ReasoningEffort | null): ExpectedQuality {
    const { slope, difficultyError } = this.weights;
    const { by, unmeasured } = this.onKinds(outlook.kinds, known);
    let ability = known.ability + by;
    for (const { name, share } of outlook.languages)
      ability += share * (known.languages[name] ?? 0);
    if (effort !== null) ability += known.efforts[levels[effort] ?? effort] ?? 0;
    const error = lengthOf(known.error, unmeasured * this.unmeasuredKind);
    const above = ability - outlook.difficulty,
      share = sigmoid(slope * above);
    const reach = deviations * lengthOf(error, difficultyError);
    return {
      basis: known.basis,
      quality: outlook.ceiling * share,
      uncertainty: outlook.ceiling * slope * share * (1 - share) * error,
      interval: [
        outlook.ceiling * sigmoid(slope * (above - reach)),
        outlook.ceiling * sigmoid(slope * (above + reach)),
      ],
    };
  }

  /** What the kinds add to an ability, and the part of the request of which nothing is known. */
  private onKinds(
    kinds: readonly Share[],
    known: ModelAbility,
  ): { by: number; unmeasured: number } {
    if (this.last.kinds !== kinds)
      this.last = { kinds, places: kinds.map(({ name }) => this.places.get(name)!) };
    const { places } = this.last;
    let by = 0,
      whole = 0,
      unmeasured = 0;
    for (let at = 0; at < places.length; at++) {
      const { share } = kinds[at]!,
        own = known.kinds[places[at]!] ?? NaN;
      whole += share;
      if (Number.isNaN(own)) unmeasured += share;
      else by += share * own;
    }
    return whole === 0
      ? { by: 0, unmeasured: 1 }
      : { by: by / whole, unmeasured: unmeasured / whole };
  }
}
