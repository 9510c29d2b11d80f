import { drawnShares } from './drawn-shares.js';
import { logit, type Evaluations } from './evaluations.js';
import type { Cells, Tables } from './tables.js';

/** Families that public knowledge of a model is worth. */
const publicWeight = 2;
const rounds = 40;

function cellsOf(
  { tasks, taskNames, families, models, scores }: Evaluations,
  rows: ArrayLike<number>,
): Cells {
  const width = models.length;
  const counts = new Float32Array(taskNames.length * width),
    sums = new Float64Array(taskNames.length * width);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!,
      to = tasks[row]! * width;
    for (let model = 0; model < width; model++) {
      const score = scores[row * width + model]!;
      if (Number.isNaN(score)) continue;
      counts[to + model]!++;
      sums[to + model]! += score;
    }
  }
  return {
    counts,
    sums,
    odds: Float64Array.from(counts, (count, at) => (count > 0 ? logit(sums[at]! / count) : 0)),
    votes: votesOf(counts, families, width),
  };
}

function votesOf(counts: Float32Array, families: readonly string[], width: number): Float64Array {
  const votes = new Float64Array(counts.length);
  for (let model = 0; model < width; model++) {
    const measured = families.flatMap((family, task) =>
      counts[task * width + model]! > 0 ? [{ family, task }] : [],
    );
    for (const { family, task } of measured)
      votes[task * width + model] = 1 / measured.filter((other) => other.family === family).length;
  }
  return votes;
}

/**
 * Least squares of a line through weighted points, its slope drawn towards 1 as by `prior` points'
 * variance.
 */
function lineThrough(
  points: readonly { x: number; y: number; weight: number }[],
  prior: number,
): { slope: number; bias: number } {
  let whole = 0,
    meanX = 0,
    meanY = 0;
  for (const { x, y, weight } of points) {
    whole += weight;
    meanX += weight * x;
    meanY += weight * y;
  }
  if (whole === 0) return { slope: 1, bias: 0 };
  meanX /= whole;
  meanY /= whole;
  let both = prior,
    square = prior;
  for (const { x, y, weight } of points) {
    both += weight * (x - meanX) * (y - meanY);
    square += weight * (x - meanX) ** 2;
  }
  const slope = Math.min(2.5, Math.max(0.2, both / square));
  return { slope, bias: meanY - slope * meanX };
}

/**
 * Fits abilities of models and hardness of tasks to each other, in turns, as item response theory
 * has them; what is publicly known of a model counts as two families. Then draws each measured
 * share towards what these and the rest of its family let one expect.
 * @param known by model: its publicly known ability, 0..1
 */
export function fitTables(
  evaluations: Evaluations,
  rows: ArrayLike<number>,
  known: ArrayLike<number>,
): Tables {
  const { taskNames } = evaluations;
  const cells = cellsOf(evaluations, rows);
  const ability = Float32Array.from(known, logit);
  const discrimination = new Float32Array(taskNames.length).fill(1),
    hardness = new Float32Array(taskNames.length);
  let publicly = { slope: 1, bias: 0 };
  for (let round = 0; round < rounds; round++) {
    fitTasks(cells, ability, discrimination, hardness);
    publicly = fitAbilities(cells, known, ability, discrimination, hardness);
  }
  const shares = drawnShares(evaluations.families, cells, { ability, discrimination, hardness });
  return {
    shares,
    counts: cells.counts,
    ability,
    discrimination,
    hardness,
    generalHardness: generalHardness(evaluations, cells, hardness),
    publicGain: publicly.slope,
    publicBias: publicly.bias,
  };
}

function fitTasks(
  { odds, counts }: Cells,
  ability: Float32Array,
  discrimination: Float32Array,
  hardness: Float32Array,
): void {
  const width = ability.length;
  for (let task = 0; task < hardness.length; task++) {
    const points = [];
    for (let model = 0; model < width; model++)
      if (counts[task * width + model]! > 0)
        points.push({ x: ability[model]!, y: odds[task * width + model]!, weight: 1 });
    const { slope, bias } = lineThrough(points, 4);
    discrimination[task] = slope;
    hardness[task] = -bias;
  }
}

function fitAbilities(
  { odds, votes }: Cells,
  known: ArrayLike<number>,
  ability: Float32Array,
  discrimination: Float32Array,
  hardness: Float32Array,
): { slope: number; bias: number } {
  const width = ability.length;
  const points = [];
  for (let model = 0; model < width; model++)
    points.push({ x: logit(known[model]!), y: ability[model]!, weight: 1 });
  const publicly = lineThrough(points, 10);
  for (let model = 0; model < width; model++) {
    let sum = publicWeight * (publicly.slope * logit(known[model]!) + publicly.bias),
      weight = publicWeight;
    for (let task = 0; task < hardness.length; task++) {
      const vote = votes[task * width + model]!;
      if (vote === 0) continue;
      sum += vote * discrimination[task]! * (odds[task * width + model]! + hardness[task]!);
      weight += vote * discrimination[task]! ** 2;
    }
    ability[model] = sum / weight;
  }
  return publicly;
}

function generalHardness(
  { families }: Evaluations,
  { counts }: Cells,
  hardness: Float32Array,
): number {
  const width = counts.length / hardness.length;
  const sums = new Map<string, { sum: number; tasks: number }>();
  for (let task = 0; task < hardness.length; task++) {
    if (!counts.subarray(task * width, (task + 1) * width).some((count) => count > 0)) continue;
    const held = sums.get(families[task]!) ?? { sum: 0, tasks: 0 };
    sums.set(families[task]!, { sum: held.sum + hardness[task]!, tasks: held.tasks + 1 });
  }
  const means = [...sums.values()].map(({ sum, tasks }) => sum / tasks);
  return means.reduce((sum, mean) => sum + mean, 0) / Math.max(1, means.length);
}
