import { type Estimate, estimateOf, seeded } from '../../src/chooser/training/custom/bootstrap.js';

/** How often a bootstrap draws, and from what. */
export interface DrawOptions {
  readonly draws: number;
  readonly seed: number;
}

/** Figures by name, of all rows and of each draw. */
export interface Drawn {
  readonly values: ReadonlyMap<string, number>;
  readonly draws: ReadonlyMap<string, readonly number[]>;
}

/**
 * Figures of all rows and of draws with replacement; rows of one group are drawn together. The same
 * seed draws the same rows.
 * @param figuresFor figures where a row counts so often
 */
export function bootstrap(
  groups: readonly string[],
  { draws, seed }: DrawOptions,
  figuresFor: (weights: Float64Array) => ReadonlyMap<string, number>,
): Drawn {
  const places = new Map<string, number>();
  const groupOf = Int32Array.from(groups, (group) => {
    const place = places.get(group) ?? places.size;
    places.set(group, place);
    return place;
  });
  const random = seeded(seed);
  const values = figuresFor(new Float64Array(groups.length).fill(1));
  const drawn = new Map([...values.keys()].map((name): [string, number[]] => [name, []]));
  const counts = new Float64Array(places.size),
    weights = new Float64Array(groups.length);
  for (let draw = 0; draw < draws; draw++) {
    counts.fill(0);
    for (let at = 0; at < counts.length; at++) counts[Math.floor(random() * counts.length)]!++;
    for (let row = 0; row < weights.length; row++) weights[row] = counts[groupOf[row]!]!;
    for (const [name, value] of figuresFor(weights)) drawn.get(name)?.push(value);
  }
  return { values, draws: drawn };
}

/**
 * The same for a figure that is an error: drawing rows twice makes it larger than it is, so that
 * its draws are moved to where the figure is before the interval is read.
 */
export function estimateOfError(value: number, draws: readonly number[]): Estimate {
  const excess = draws.reduce((sum, draw) => sum + draw, 0) / draws.length - value;
  return estimateOf(
    value,
    draws.map((draw) => Math.max(0, draw - excess)),
  );
}
