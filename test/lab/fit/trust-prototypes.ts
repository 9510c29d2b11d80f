import { gramsOfPrototype } from '../../../src/chooser/predictor/predictor-file.js';
import type { PrototypeWeights } from '../../../src/chooser/predictor/prototypes.js';
import type { Evaluations } from './evaluations.js';
import {
  fitGroups,
  fitTelling,
  oneFamily,
  prototypesOf,
  sharesAt,
  type Groups,
} from './fit-prototypes.js';
import type { Tables } from './tables.js';

/**
 * The prototypes that are kept, and by task how much they count in the prediction, 0..1.
 */
export type TrustedPrototypes = PrototypeWeights & { readonly prototypeTrust: Float32Array };

/** The rows that were learned from, and those that were kept back to judge. */
export interface SplitRows {
  readonly learned: Int32Array;
  readonly keptBack: Int32Array;
}

/**
 * Chances of all models on a row, predicted without prototypes; NaN for a model without a score.
 */
export type ChancesOf = (row: number) => Float64Array;

/** The trust if there are few rows, and how many rows it counts as. */
const defaultTrust = 0.5;
const priorRows = 40;
/** Prototypes of less trust are not worth their place in the file. */
const minTrust = 0.2;
/**
 * The share of the error about how models differ that prototypes must remove. Judged on more than a
 * thousand rows a smaller share is no chance: the part of one row is enough.
 */
const minGain = 0.001;

interface Kept {
  readonly groups: Groups;
  readonly shares: Int8Array;
  readonly family: string;
  readonly trust: number;
}

/** Fits prototypes for each family. Keeps those that tell models apart on unseen prompts. */
export function fitTrustedPrototypes(
  evaluations: Evaluations,
  { learned, keptBack }: SplitRows,
  tables: Tables,
  chancesOf: ChancesOf,
  seed: number,
): TrustedPrototypes {
  const { families, tasks } = evaluations,
    telling = fitTelling(evaluations, learned),
    kept: Kept[] = [];
  for (const family of new Set(Array.from(keptBack, (row) => families[tasks[row]!]!))) {
    const [mine, judging] = [learned, keptBack].map((rows) =>
      rows.filter((row) => families[tasks[row]!] === family),
    ) as [Int32Array, Int32Array];
    const groups = fitGroups(evaluations, mine, telling, seed);
    const { trust, gain } = measureTrust(
      evaluations,
      judging,
      tables,
      telling,
      { groups, shares: sharesAt(evaluations, mine, tables, groups, telling) },
      chancesOf,
    );
    // the rows kept back have done their job: now learn from them too
    if (trust >= minTrust && gain >= Math.min(minGain, 1 / judging.length))
      kept.push({
        groups,
        family,
        trust,
        shares: sharesAt(
          evaluations,
          Int32Array.from([...mine, ...judging]),
          tables,
          groups,
          telling,
        ),
      });
  }
  return join(kept, families, telling);
}

/**
 * Finds the share of prototypes in the prediction that comes nearest to how the models differ on a
 * prompt (least squares, shrunk towards the default trust), and which share of the error about that
 * they remove. What all models have in common changes no choice and is left to the other
 * prediction.
 */
function measureTrust(
  { features, scores, tasks, models: { length: width } }: Evaluations,
  rows: Int32Array,
  tables: Tables,
  telling: Int8Array,
  { groups, shares }: Pick<Kept, 'groups' | 'shares'>,
  chancesOf: ChancesOf,
): { trust: number; gain: number } {
  const prototypes = prototypesOf(groups, telling, shares);
  let both = 0,
    squares = 0,
    wrong = 0;
  for (const row of rows) {
    const chances = chancesOf(row),
      near = prototypes.nearTo(features[row]!, oneFamily);
    const measured = [...chances.keys()].filter((model) => !Number.isNaN(chances[model]!));
    const said = centred(
      measured.map(
        (model) =>
          tables.shares[tasks[row]! * width + model]! +
          prototypes.beyondTask(near, model, width) -
          chances[model]!,
      ),
    );
    const missed = centred(measured.map((model) => scores[row * width + model]! - chances[model]!));
    said.forEach((value, at) => {
      both += (value * missed[at]!) / said.length;
      squares += value ** 2 / said.length;
      wrong += missed[at]! ** 2 / said.length;
    });
  }
  if (squares === 0) return { trust: 0, gain: 0 };
  const prior = (priorRows * squares) / rows.length;
  const trust = Math.min(1, Math.max(0, (both + prior * defaultTrust) / (squares + prior)));
  return { trust, gain: (2 * trust * both - trust ** 2 * squares) / wrong };
}

function centred(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

/** Joins the prototypes of several families into one set. */
function join(
  kept: readonly Kept[],
  families: readonly string[],
  telling: Int8Array,
): TrustedPrototypes {
  const names = [...new Set(families)];
  return {
    telling,
    prototypeBuckets: Uint16Array.from(kept.flatMap(({ groups }) => [...groups.prototypeBuckets])),
    prototypeGrams: Int8Array.from(kept.flatMap(({ groups }) => [...groups.prototypeGrams])),
    prototypeShares: Int8Array.from(kept.flatMap(({ shares }) => [...shares])),
    prototypeFamilies: Uint8Array.from(
      kept.flatMap(({ groups, family }) =>
        Array.from({ length: groups.prototypeBuckets.length / gramsOfPrototype }, () =>
          names.indexOf(family),
        ),
      ),
    ),
    taskFamilies: Uint8Array.from(families, (family) => names.indexOf(family)),
    prototypeTrust: Float32Array.from(
      families,
      (family) => kept.find((one) => one.family === family)?.trust ?? 0,
    ),
  };
}
