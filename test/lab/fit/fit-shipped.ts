import { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { guessedAbility, knownAbility } from '../../../src/models/model-families.js';
import { canonicalName } from '../../../src/models/model-name.js';
import type { Evaluations } from './evaluations.js';
import { fitGate, type GateSignals } from './fit-gate.js';
import { fitPredictor } from './fit-predictor.js';
import { foldOf } from './published-evaluations.js';
import type { PredictorWeights } from '../../../src/chooser/predictor/predictor-file.js';

/** Options of fitting the shipped predictor. */
export interface ShippedOptions {
  readonly seed: number;
  readonly name: string;
  readonly onProgress?: (share: number, doing: string) => void;
}

/** Smaller families are not held out: they say too little. */
const minFamilyRows = 400;
const gateEpochs = 3;
const maxSignals = 1500;

/** By model: its publicly known ability, else a guess from its name. */
export function publicAbilities(models: readonly string[]): number[] {
  return models.map((model) => knownAbility(canonicalName(model)) ?? guessedAbility(model, null));
}

/** The families that are large enough to be held out, sorted. */
export function familiesToHoldOut({ tasks, families }: Evaluations): string[] {
  const sizes = new Map<string, number>();
  for (const task of tasks) sizes.set(families[task]!, (sizes.get(families[task]!) ?? 0) + 1);
  return [...sizes]
    .filter(([, size]) => size >= minFamilyRows)
    .map(([family]) => family)
    .sort();
}

/**
 * Signals of texts for a predictor that saw neither a family nor the rows of a fold: the family's
 * texts are strange, the fold's are familiar.
 */
export function gateSignals(
  evaluations: Evaluations,
  predictor: QualityPredictor,
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
    const picked = rows.filter((_, at) => at % Math.ceil(rows.length / maxSignals) === 0);
    return picked.map((row) => {
      const { place, shares } = predictor.read(evaluations.features[row]!);
      return { ...predictor.reader.standing(place, shares), isStrange, weight: 1 / picked.length };
    });
  };
  return [...signalsOf(strange, true), ...signalsOf(familiar, false)];
}

/**
 * Fits the shipped predictor: first the gate, by holding out each family in turn together with a
 * tenth of the other rows, then everything else on all rows. Takes minutes for 50,000 rows.
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
        fitPredictor(evaluations, rows, {
          seed,
          name,
          known,
          epochs: gateEpochs,
          isPlaceOnly: true,
        }),
      ),
      family,
      isHeld,
    );
  });
  return fitPredictor(evaluations, all, {
    seed,
    name,
    known,
    gate: fitGate(signals),
    onProgress: (share, doing) => onProgress(0.8 + 0.2 * share, doing),
  });
}
