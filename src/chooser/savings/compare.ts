import { setImmediate } from 'node:timers/promises';
import type { ChoiceSums } from '../../store/contracts/choices.js';
import { believedOf, type ModelBeliefs, type SavingsEvidence } from './beliefs.js';

/** Standard deviations of a normal distribution on each side of 95 %. */
const normal95 = 1.96;
/** Rows that are added up before other work gets its turn: about a millisecond. */
const rowsPerTurn = 20_000;
/** Share by which a model's count of the same prompt's tokens may differ from what is predicted. */
const promptSpread = 0.1;
/** An end of an interval is no further than this, in logarithms: a factor of 20. */
const maxSpread = 3;
/** Spread of the logarithm of the length of answers that the gateway did not see. */
const unseenSpread = 0.3;

/** A figure with its 95 % interval. Infinite: never reached. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The same function of a figure and of both ends of its interval. */
export const mapEstimate = (
  { value, low, high }: Estimate,
  map: (figure: number) => number,
): Estimate => ({ value: map(value), low: map(low), high: map(high) });

/** Whether a model was a candidate in more than half of the choices. */
export const isUsual = (candidateIn: number, choices: number): boolean => 2 * candidateIn > choices;

/** What the choices cost and were worth, compared with always calling one of the candidates. */
export interface ChoiceComparison {
  readonly models: readonly string[];
  readonly choices: number;
  readonly spentUsd: Estimate;
  /** Per model, in the order of `models`: what choosing has saved, in USD. */
  readonly savedUsd: readonly Estimate[];
  /** Per model: by how much its mean quality is higher than that of the choices it was in. */
  readonly gain: readonly Estimate[];
  /** The place of the usual candidate with the highest gain; null: there is none. */
  readonly best: number | null;
  /** What choosing gives up: as the gain of the best; the upper end allows for another usual one. */
  readonly givenUp: Estimate | null;
}

/** One row of sums, with the places of its models. */
interface Pair extends ChoiceSums {
  readonly chosenPlace: number;
  readonly place: number;
}

/** A sum of the rows with how it changes with everything that is uncertain. */
interface Sum {
  value: number;
  /** By model: the change with the logarithm of its answers' length, and with its prompts' cost. */
  readonly answers: Float64Array;
  readonly prompts: Float64Array;
  /** The change with the logarithm of the length of all answers that the gateway did not see. */
  unseen: number;
  /** The variance due to single answers, which averages out. */
  noise: number;
  /** The uncertain costs in `value`: the sum of those added, and of those subtracted. */
  added: number;
  taken: number;
}

/** What choosing saved against one model, and by how much that model is better. */
interface ModelSums {
  readonly saved: Sum;
  gain: number;
  /** By model: the change of the gain with the error of its predicted quality. */
  readonly errors: Float64Array;
  gainNoise: number;
}

const emptySum = (count: number): Sum => ({
  value: 0,
  answers: new Float64Array(count),
  prompts: new Float64Array(count),
  unseen: 0,
  noise: 0,
  added: 0,
  taken: 0,
});

/**
 * Compares choices with always calling one of their candidates; where that candidate could not
 * serve, or its price is unknown, the model that was chosen stays. The intervals are those of the
 * delta method: each sum is taken as linear in what is uncertain, which is normally distributed.
 */
export async function compare(
  sums: readonly ChoiceSums[],
  evidence: SavingsEvidence,
): Promise<ChoiceComparison> {
  const models = [...new Set(sums.map(({ candidate }) => candidate))].sort();
  const places = new Map(models.map((model, place) => [model, place]));
  const pairs = sums.map((row): Pair => {
    const [chosenPlace, place] = [places.get(row.chosen) ?? 0, places.get(row.candidate) ?? 0];
    return { ...row, chosenPlace, place };
  });
  const beliefs = believedOf(places, sums, evidence);
  await setImmediate();
  const counts = models.map(() => 0);
  for (const { place, choices } of pairs) counts[place]! += choices;
  const own = pairs.filter((row) => row.place === row.chosenPlace);
  const choices = own.reduce((sum, row) => sum + row.choices, 0);
  const lengths = Float64Array.from(models, (_, place) =>
    Math.exp(beliefs.verbosity.meanOf(place)),
  );
  const spent = emptySum(models.length);
  for (const row of own) addOwn(spent, row, lengths, 1);
  const others = await sumOthers(pairs, beliefs, lengths);
  const gain = others.map((one, place) => gainOf(one, beliefs, Math.max(1, counts[place]!)));
  const highOf = (place: number): number => gain[place]!.high;
  const usual = [...models.keys()].filter((place) => isUsual(counts[place]!, choices));
  const best = usual.reduce<number | null>(
    (top, place) => (top === null || gain[place]!.value > gain[top]!.value ? place : top),
    null,
  );
  const spentUsd = costOf(spent, beliefs);
  return {
    models,
    choices,
    spentUsd: { ...spentUsd, low: Math.max(0, spentUsd.low) },
    savedUsd: others.map(({ saved }) => costOf(saved, beliefs)),
    gain,
    best,
    // any usual candidate may be the best: approximates the upper end of the highest gain from below
    givenUp: best === null ? null : { ...gain[best]!, high: Math.max(...usual.map(highOf)) },
  };
}

/** By model the sums of the choices in which another one was chosen. Yields to requests. */
async function sumOthers(
  pairs: readonly Pair[],
  beliefs: ModelBeliefs,
  lengths: Float64Array,
): Promise<ModelSums[]> {
  const others = Array.from(lengths, (): ModelSums => ({
    saved: emptySum(lengths.length),
    gain: 0,
    errors: new Float64Array(lengths.length),
    gainNoise: 0,
  }));
  for (const [at, row] of pairs.entries()) {
    if (row.place !== row.chosenPlace) addOther(others[row.place]!, row, lengths, beliefs);
    if (at % rowsPerTurn === rowsPerTurn - 1) await setImmediate();
  }
  return others;
}

/** Adds what the chosen model cost. @param sign -1: takes it off */
function addOwn(sum: Sum, row: Pair, lengths: Float64Array, sign: 1 | -1): void {
  const { chosenPlace, isMeasured } = row;
  if (isMeasured) {
    sum.value += sign * row.actualUsd;
    return;
  }
  const answer = row.chosenAnswerUsd * lengths[chosenPlace]!;
  sum.value += sign * (row.chosenPromptUsd + answer);
  sum.prompts[chosenPlace]! += sign * row.chosenPromptUsd;
  sum.answers[chosenPlace]! += sign * answer;
  sum.unseen += sign * answer;
  sum[sign > 0 ? 'added' : 'taken'] += answer;
  if (sign > 0) sum.noise += row.answerSquares;
}

function addOther(
  sums: ModelSums,
  row: Pair,
  lengths: Float64Array,
  { quality }: ModelBeliefs,
): void {
  const { chosenPlace, place, isMeasured } = row;
  const { saved, errors } = sums;
  // answers that were seen are scaled by their length, of which a part is the model's own
  const longer = isMeasured ? lengths[place]! / lengths[chosenPlace]! : lengths[place]!;
  const answer = row.answerUsd * longer;
  saved.value += row.promptUsd + answer;
  saved.prompts[place]! += row.promptUsd;
  saved.answers[place]! += answer;
  saved.added += answer;
  if (isMeasured) saved.answers[chosenPlace]! -= answer;
  else saved.unseen += answer;
  addOwn(saved, row, lengths, -1);
  // the length of a single answer varies about as much as it is long
  saved.noise += isMeasured ? row.answerSquares : 2 * row.answerSquares;
  sums.gain +=
    row.quality -
    row.chosenQuality +
    quality.meanOf(place) * row.uncertainty -
    quality.meanOf(chosenPlace) * row.chosenUncertainty;
  errors[place]! += row.uncertainty;
  errors[chosenPlace]! -= row.chosenUncertainty;
  sums.gainNoise += row.variance;
}

function gainOf(
  { gain, errors, gainNoise }: ModelSums,
  beliefs: ModelBeliefs,
  by: number,
): Estimate {
  const value = gain / by,
    reach = (normal95 * Math.sqrt(beliefs.quality.varianceOf(errors) + gainNoise)) / by;
  return { value, low: value - reach, high: value + reach };
}

/**
 * A cost with its interval. Lengths of answers are log-normal, so the interval is wider above than
 * below, as if all uncertain costs were one. If more is subtracted than added, it is wider below.
 */
function costOf(sum: Sum, { verbosity }: ModelBeliefs): Estimate {
  const { value, prompts, unseen, noise, added, taken } = sum;
  const prompted = prompts.reduce((squares, one) => squares + (promptSpread * one) ** 2, 0);
  const variance =
    verbosity.varianceOf(sum.answers) + prompted + (unseenSpread * unseen) ** 2 + noise;
  const reach = normal95 * Math.sqrt(variance),
    scale = Math.max(added, taken);
  if (scale === 0) return { value, low: value - reach, high: value + reach };
  const far = scale * Math.expm1(Math.min(maxSpread, reach / scale)),
    near = -scale * Math.expm1(-reach / scale);
  return added >= taken
    ? { value, low: value - near, high: value + far }
    : { value, low: value - far, high: value + near };
}
