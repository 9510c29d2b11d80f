import { modelIdentity } from '../../models/model-identity.js';
import { NameCache } from '../../models/name-cache.js';
import { lengthOf, logOdds } from '../../models/numbers.js';
import { makerOf } from '../../models/price-list.js';
import {
  type AbilityTable,
  effortLevels,
  levelOf,
  type Particular,
  readModelTable,
} from '../../models/model-tables.js';
import type { ReasoningEffort } from '../../completion.js';

/** Where an ability is from: published results of the model, its family, or its name and price. */
export type Basis = 'measured' | 'family' | 'guess';

/** What is known of a model on the scale of abilities (log odds; 0: a usual model of 2024). */
export interface ModelAbility {
  readonly ability: number;
  /** The standard deviation of the ability on tasks of all kinds. */
  readonly error: number;
  readonly basis: Basis;
  /** What to add for a kind, by its place in `kindNames`; NaN: it and related ones lack results. */
  readonly kinds: Float64Array;
  /** The standard deviation of the ability on a kind of task, by the same places. */
  readonly kindErrors: Float64Array;
  /** What to add for a group of languages, and at an effort (`levelOf`). */
  readonly languages: Readonly<Record<string, number>>;
  readonly efforts: Readonly<Record<string, number>>;
}

/** Abilities follow shares in a straight line above this, and their log odds below. */
const straightFrom = 0.25;
const slopeBelow = straightFrom * (1 - straightFrom);
const minShare = 0.03;

/**
 * Maps a share of the families' table to a scale on which abilities are linear. Log odds alone
 * would put the best families .3 to .6 above what their models' results say (2026-11), because the
 * table was written by hand, with small steps near 1.
 * @param share 0..1
 */
export function placeOfShare(share: number): number {
  const kept = Math.min(1 - minShare, Math.max(minShare, share));
  if (kept >= straightFrom) return kept;
  return straightFrom + slopeBelow * (logOdds(kept) - logOdds(straightFrom));
}

/** An ability that the configuration states counts as certain as one with many results. */
const statedError = 0.1;
const maxNameLength = 200;
const maxCachedNames = 4_000;
const none: Readonly<Record<string, number>> = {};
const noParticulars: Readonly<Record<string, Particular>> = {};

/** Finds what is known of a candidate's model. */
export class ModelAbilities {
  /** The kinds of task that have abilities of their own. */
  readonly kindNames: readonly string[];
  private readonly noKinds: Float64Array;
  private readonly unmeasured = new Map<number, Float64Array>();
  private readonly byIdentity = new Map<string, ModelAbility>();
  private readonly steps = new Map<string, Readonly<Record<string, number>>>();
  private readonly found = new NameCache<ModelAbility | null>(maxCachedNames);

  constructor(private readonly table: AbilityTable) {
    const models = Object.entries(table.models);
    this.kindNames = [
      ...new Set(models.flatMap(([, { kinds = noParticulars }]) => Object.keys(kinds))),
    ];
    this.noKinds = new Float64Array(this.kindNames.length).fill(NaN);
    // the table is keyed by identities
    for (const [
      model,
      { ability, error, kinds = noParticulars, languages, efforts = none },
    ] of models)
      this.byIdentity.set(model, {
        ability,
        error,
        basis: 'measured',
        kinds: Float64Array.from(this.kindNames, (kind) => kinds[kind]?.[0] ?? NaN),
        kindErrors: this.errorsBeside(error).map(
          (elsewhere, place) => kinds[this.kindNames[place]!]?.[1] ?? elsewhere,
        ),
        languages: languages
          ? Object.fromEntries(Object.entries(languages).map(([name, [by]]) => [name, by]))
          : none,
        efforts,
      });
  }

  /** Errors by kind of a model without results for any kind. Cached: there are few errors. */
  private errorsBeside(error: number): Float64Array {
    let errors = this.unmeasured.get(error);
    if (!errors) {
      const elsewhere = lengthOf(error, this.table.unmeasuredKind);
      errors = new Float64Array(this.kindNames.length).fill(elsewhere);
      this.unmeasured.set(error, errors);
    }
    return errors;
  }

  /** The models of which there are published results, by their identities. */
  get names(): string[] {
    return [...this.byIdentity.keys()];
  }

  /** What published results say of a model, whatever its provider; null if there are none. */
  measured(name: string): ModelAbility | null {
    return name.length > maxNameLength ? null : this.found.of(name, this.lookUp);
  }

  private readonly lookUp = (name: string): ModelAbility | null =>
    this.byIdentity.get(modelIdentity(name)) ?? null;

  /**
   * An ability without published results of the model.
   * @param share 0..1, as the table of families states it or a name and a price suggest
   * @param isGuess whether nothing is known of its family
   * @param defaultEffort that of a request without one; null: it does not reason
   */
  supposed(share: number, isGuess: boolean, defaultEffort: ReasoningEffort | null): ModelAbility {
    const { families, guessError } = this.table;
    const error = isGuess ? guessError : families.error;
    return {
      ability: families.constant + families.factor * placeOfShare(share),
      error,
      basis: isGuess ? 'guess' : 'family',
      kinds: this.noKinds,
      kindErrors: this.errorsBeside(error),
      languages: none,
      efforts: defaultEffort === null ? none : this.effortsFrom(defaultEffort),
    };
  }

  /** The same model with an ability that somebody states, in all kinds of task alike. */
  stated(model: ModelAbility, ability: number): ModelAbility {
    const kindErrors = this.errorsBeside(statedError);
    return { ...model, ability, error: statedError, kindErrors, basis: 'measured' };
  }

  /** The usual steps, from a model's own usual effort. */
  private effortsFrom(usual: ReasoningEffort): Readonly<Record<string, number>> {
    const own = levelOf(usual);
    let steps = this.steps.get(own);
    if (!steps) {
      const { efforts } = this.table;
      steps = Object.fromEntries(
        effortLevels.map((level) => [level, efforts[level] - efforts[own]]),
      );
      this.steps.set(own, steps);
    }
    return steps;
  }
}

let shipped: ModelAbilities | undefined;

/** The shipped abilities, read once. @throws Error if their file is missing or malformed */
export const shippedAbilities = (): ModelAbilities =>
  (shipped ??= new ModelAbilities(readModelTable('measured-abilities')));

/**
 * The models that the tables have: those with published results, by `names` in one spelling; `has`
 * knows also those with their maker's price.
 * @param at ms since 1970
 */
export function knownModels(at: number): {
  readonly names: readonly string[];
  has(name: string): boolean;
} {
  const abilities = shippedAbilities();
  return {
    names: abilities.names,
    has: (name) =>
      abilities.measured(name) !== null ||
      makerOf(name.slice(name.lastIndexOf('/') + 1), at) !== null,
  };
}
