import { sigmoid } from '../../../src/models/numbers.js';

/** What the gate sees of a text, to tell familiar texts from strange ones. */
export interface GateSignals {
  /** How undecided the kind of task is. */
  readonly entropy: number;
  /** Distance to the nearest centre of a task. */
  readonly distance: number;
  /** Whether the text's family was held out of the fit. */
  readonly isStrange: boolean;
  /** How much the text counts. */
  readonly weight: number;
}

/** The gate as fitted to thirteen families of benchmarks, each held out in turn. */
export const defaultGate: Float32Array = Float32Array.from([15, -5.2, -1.62]);

/** How much more often familiar texts are expected than strange ones. */
const familiarOdds = 1.2;
/**
 * Factor of the log odds. Above 1, because predictions from elsewhere harm half-strange texts more
 * than they help.
 */
const sharpness = 2;

/**
 * Fits the gate by logistic regression (Newton's method). The total weights of familiar and strange
 * texts do not depend on how many there are of each.
 * @returns twice the log odds that a text is familiar: [constant, by entropy, by distance]
 */
export function fitGate(signals: readonly GateSignals[]): Float32Array {
  const totals = [false, true].map((isStrange) =>
    signals.reduce((sum, signal) => sum + (signal.isStrange === isStrange ? signal.weight : 0), 0),
  );
  if (totals.some((whole) => whole === 0)) return defaultGate;
  let gate = [0, 0, 0];
  for (let round = 0; round < 25; round++) gate = newton(gate, signals, totals);
  // a text that is further away or less decided is never more familiar
  return Float32Array.from(
    [gate[0]!, Math.min(0, gate[1]!), Math.min(0, gate[2]!)],
    (weight) => sharpness * weight,
  );
}

function newton(
  gate: readonly number[],
  signals: readonly GateSignals[],
  totals: readonly number[],
): number[] {
  const gradient = [0, 0, 0],
    curve = [
      [1e-3, 0, 0],
      [0, 1e-3, 0],
      [0, 0, 1e-3],
    ];
  for (const { entropy, distance, isStrange, weight } of signals) {
    const values = [1, entropy, distance];
    const chance = sigmoid(gate[0]! + gate[1]! * entropy + gate[2]! * distance);
    const share = (isStrange ? 1 : familiarOdds) * (weight / totals[isStrange ? 1 : 0]!);
    for (let row = 0; row < 3; row++) {
      gradient[row]! += share * ((isStrange ? 0 : 1) - chance) * values[row]!;
      for (let column = 0; column < 3; column++)
        curve[row]![column]! += share * chance * (1 - chance) * values[row]! * values[column]!;
    }
  }
  const step = solveThree(curve, gradient);
  return gate.map((value, at) => value + Math.max(-3, Math.min(3, step[at]!)));
}

function solveThree(matrix: number[][], target: readonly number[]): number[] {
  const determinant = (m: readonly number[][]): number =>
    m[0]![0]! * (m[1]![1]! * m[2]![2]! - m[1]![2]! * m[2]![1]!) -
    m[0]![1]! * (m[1]![0]! * m[2]![2]! - m[1]![2]! * m[2]![0]!) +
    m[0]![2]! * (m[1]![0]! * m[2]![1]! - m[1]![1]! * m[2]![0]!);
  const whole = determinant(matrix);
  return [0, 1, 2].map(
    (column) =>
      determinant(
        matrix.map((row, at) =>
          row.map((value, other) => (other === column ? target[at]! : value)),
        ),
      ) / whole,
  );
}
