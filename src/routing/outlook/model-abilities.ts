import { modelIdentity } from '../model-identity.js';
import { NameCache } from '../name-cache.js';
import { readModelTable } from '../model-tables.js';
import type { ReasoningEffort } from '../../completion.js';
import type { AbilityTable } from './ability-table.js';
import { effortLevels, levelOf } from './effort-steps.js';
import { placeOfShare } from './family-share.js';

/** Where an ability is from: published results of the model, its family, or its name and price. */
export type Basis = 'measured' | 'family' | 'guess';

/** What is known of a model on the scale of abilities (log odds; 0: a usual model of 2024). */
export interface ModelAbility {
  readonly ability: number;
  /** The standard deviation of the ability on a kind of task. */
  readonly error: number;
  readonly basis: Basis;
  /**
   * What to add for a kind of task, by its place in `kindNames`; NaN: it has no results there, nor in
   * related kinds.
   */
  readonly kinds: Float64Array;
  /** What to add for a group of languages, and at an effort (`levelOf`). */
  readonly languages: Readonly<Record<string, number>>;
  readonly efforts: Readonly<Record<string, number>>;
}

const maxNameLength = 200;
const maxCachedNames = 4_000;
const none: Readonly<Record<string, number>> = {};

/** Finds what is known of a candidate's model. */
export class ModelAbilities {
  /** The kinds of task that abilities are told apart by. */
  readonly kindNames: readonly string[];
  private readonly noKinds: Float64Array;
  private readonly byIdentity = new Map<string, ModelAbility>();
  private readonly steps = new Map<string, Readonly<Record<string, number>>>();
  private readonly found = new NameCache<{ readonly known: ModelAbility | null }>(maxCachedNames);

  constructor(private readonly table: AbilityTable) {
    const models = Object.entries(table.models);
    this.kindNames = [...new Set(models.flatMap(([, { kinds = none }]) => Object.keys(kinds)))];
    this.noKinds = new Float64Array(this.kindNames.length).fill(NaN);
    // the table is keyed by identities
    for (const [
      model,
      { ability, error, kinds = none, languages = none, efforts = none },
    ] of models)
      this.byIdentity.set(model, {
        ability,
        error,
        basis: 'measured',
        kinds: Float64Array.from(this.kindNames, (kind) => kinds[kind] ?? NaN),
        languages,
        efforts,
      });
  }

  /** The models of which there are published results, by their identities. */
  get names(): string[] {
    return [...this.byIdentity.keys()];
  }

  /** What published results say of a model, whatever its provider; null if there are none. */
  measured(name: string): ModelAbility | null {
    if (name.length > maxNameLength) return null;
    let entry = this.found.get(name);
    if (entry === undefined) {
      entry = { known: this.byIdentity.get(modelIdentity(name)) ?? null };
      this.found.set(name, entry);
    }
    return entry.known;
  }

  /**
   * An ability without published results of the model.
   * @param share 0..1, as the table of families states it or a name and a price suggest
   * @param isGuess whether nothing is known of its family
   * @param usualEffort that of a request without one; null: it does not reason
   */
  supposed(share: number, isGuess: boolean, usualEffort: ReasoningEffort | null): ModelAbility {
    const { families, guessError } = this.table;
    return {
      ability: families.constant + families.factor * placeOfShare(share),
      error: isGuess ? guessError : families.error,
      basis: isGuess ? 'guess' : 'family',
      kinds: this.noKinds,
      languages: none,
      efforts: usualEffort === null ? none : this.effortsFrom(usualEffort),
    };
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

  /** What is added to the error where nothing is known of a model in a kind of task. */
  get unmeasuredKind(): number {
    return this.table.unmeasuredKind;
  }
}

let shipped: ModelAbilities | undefined;

/** The shipped abilities, read once. @throws Error if their file is missing or malformed */
export function shippedAbilities(): ModelAbilities {
  return (shipped ??= new ModelAbilities(readModelTable('measured-abilities')));
}
