import { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import type { PredictorWeights } from '../../../src/routing/predictor/predictor-weights.js';
import { knownAbility, guessedAbility } from '../../../src/routing/model-families.js';
import { canonicalName } from '../../../src/routing/model-name.js';
import type { Evaluations } from './evaluations.js';
import { fitGate, type GateSignals } from './fit-gate.js';
import { fitRouter } from './fit-router.js';
import { foldOf } from './published-evaluations.js';

/** What governs the fit of the router that is shipped. */
export interface ShippedOptions {
  readonly seed: number;
  readonly name: string;
  readonly onProgress?: (share: number, doing: string) => void;
}

/** Families of fewer rows tell too little to be held out. */
const leastRows = 400;
const gateEpochs = 3;
const mostSignals = 1500;

/** Abilities as they are publicly known, by model of the evaluations; guessed from the name where they are not. */
export function publicAbilities(models: readonly string[]): number[] {
  return models.map((model) => knownAbility(canonicalName(model)) ?? guessedAbility(model, null));
}

/** The families that are large enough to be held out, in order. */
export function familiesToHoldOut({ tasks, families }: Evaluations): string[] {
  const sizes = new Map<string, number>();
  for (const task of tasks) sizes.set(families[task]!, (sizes.get(families[task]!) ?? 0) + 1);
  return [...sizes]
    .filter(([, size]) => size >= leastRows)
    .map(([family]) => family)
    .sort();
}

/** What the gate sees of a router that never saw one family nor one fold: of the family, and of the fold. */
export function gateSignals(
  evaluations: Evaluations,
  router: QualityPredictor,
  family: string,
  fold: (row: number) => boolean,
): GateSignals[] {
  const strange: number[] = [],
    familiar: number[] = [];
  evaluations.features.forEach((_, row) => {
    if (evaluations.families[evaluations.tasks[row]!] === family) strange.push(row);
    else if (fold(row)) familiar.push(row);
  });
  const signalsOf = (rows: readonly number[], isStrange: boolean): GateSignals[] => {
    const picked = rows.filter((_, at) => at % Math.ceil(rows.length / mostSignals) === 0);
    return picked.map((row) => {
      const { place, shares } = router.read(evaluations.features[row]!);
      return { ...router.reader.standing(place, shares), isStrange, weight: 1 / picked.length };
    });
  };
  return [...signalsOf(strange, true), ...signalsOf(familiar, false)];
}

/**
 * Fits the router that is shipped: first the gate, by holding out each family in turn together with a tenth of the other rows, then all the
 * rest on all rows. Minutes for fifty thousand rows.
 */
export function fitShipped(
  evaluations: Evaluations,
  { seed, name, onProgress = () => undefined }: ShippedOptions,
): PredictorWeights {
  const known = publicAbilities(evaluations.models);
  const isHeld = (row: number): boolean => foldOf(evaluations.groups[row]!, 10) === 0;
  const all = Int32Array.from(evaluations.features, (_, row) => row);
  const held = familiesToHoldOut(evaluations);
  const signals = held.flatMap((family, at) => {
    onProgress((0.8 * at) / held.length, `the gate, without ${family}`);
    const rows = all.filter(
      (row) => evaluations.families[evaluations.tasks[row]!] !== family && !isHeld(row),
    );
    return gateSignals(
      evaluations,
      new QualityPredictor(
        fitRouter(evaluations, rows, { seed, name, known, epochs: gateEpochs, isPlaceOnly: true }),
      ),
      family,
      isHeld,
    );
  });
  return fitRouter(evaluations, all, {
    seed,
    name,
    known,
    gate: fitGate(signals),
    onProgress: (share, doing) => onProgress(0.8 + 0.2 * share, doing),
  });
}
