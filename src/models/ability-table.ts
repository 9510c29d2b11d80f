import type { EffortLevel } from './effort-steps.js';

/** `config/models/measured-abilities.json`, which the laboratory writes. */
export interface AbilityTable {
  readonly description: string;
  readonly asOf: string;
  /** Turns the place of the share that a family's table states (`placeOfShare`) into an ability. */
  readonly families: { readonly constant: number; readonly factor: number; readonly error: number };
  /** The standard deviation of an ability that is guessed from a name and a price. */
  readonly guessError: number;
  /** What is added to the error on a kind of task in which a model has no results. */
  readonly unmeasuredKind: number;
  /** How much more able models are at each effort than without reasoning. */
  readonly efforts: Readonly<Record<EffortLevel, number>>;
  readonly models: Readonly<Record<string, WrittenAbility>>;
}

/** What to add to an ability, and the standard error of the sum. */
export type Particular = readonly [by: number, error: number];

/**
 * One model of the table. Of a kind that is left out nothing is known, neither by results in it nor by
 * related kinds; other figures that are left out are 0.
 */
export interface WrittenAbility {
  readonly ability: number;
  /** The standard error of the ability on tasks of all kinds. */
  readonly error: number;
  readonly kinds?: Readonly<Record<string, Particular>>;
  readonly languages?: Readonly<Record<string, Particular>>;
  readonly efforts?: Readonly<Record<string, number>>;
}
