import { setImmediate } from 'node:timers/promises';
import type { ChoiceSums } from '../../store/contracts/choices.js';
import { normal, seeded } from '../training/custom/seeded.js';
import { believedOf, type ModelBeliefs, type SavingsEvidence } from './beliefs.js';

/** How many worlds are drawn for a receipt. */
const defaultDraws = 1_000;
/** How many rows are added up before other work gets its turn: about a millisecond. */
const rowsPerTurn = 20_000;
/** Share by which a model's count of the same prompt's tokens may differ from what is predicted. */
const promptSpread = 0.1;
/** Spread of the logarithm of the length of answers that the gateway did not see. */
const unseenSpread = 0.3;

/** A figure with its 95 % interval. */
export interface Figure {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Whether a model was a candidate in so many of the choices that all of them compare with it. */
export const isUsual = (candidateIn: number, choices: number): boolean => 2 * candidateIn > choices;

/** What the choices cost and were worth, compared with always calling one of the candidates. */
export interface ChoiceComparison {
  readonly models: readonly string[];
  readonly choices: number;
  readonly spentUsd: Figure;
  /** Per model, in the order of `models`: what choosing has saved, in USD. */
  readonly savedUsd: readonly Figure[];
  /** Per model: by how much its mean quality is higher than that of the choices it was in. */
  readonly gain: readonly Figure[];
  /** The place of the usual candidate with the highest gain; null: there is none. */
  readonly best: number | null;
  /** What choosing gives up: as the gain of the best; the upper end allows for another usual one. */
  readonly givenUp: Figure | null;
}

/** One row of sums, with the places of its models. */
interface Pair extends ChoiceSums {
  readonly chosenPlace: number;
  readonly place: number;
}

/** One draw of everything that is uncertain, or its means. */
interface World {
  /** Per model: factors of the lengths of answers and of the costs of prompts. */
  readonly answers: Float64Array;
  readonly prompts: Float64Array;
  /** Per model: the error of the predicted quality, in standard deviations. */
  readonly errors: Float64Array;
  /** A factor of the lengths of all answers that the gateway did not see. */
  readonly unseen: number;
}

/** Sums of one world. */
interface Outcome {
  spent: number;
  readonly saved: Float64Array;
  readonly gain: Float64Array;
}

/**
 * Compares choices with always calling one of their candidates; where that candidate could not
 * serve, or its price is unknown, the model that was chosen stays. Every interval holds 95 % of the
 * worlds that are drawn from what is believed of the models. The same sums give the same intervals.
 */
export async function compare(
  sums: readonly ChoiceSums[],
  evidence: SavingsEvidence,
  draws = defaultDraws,
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
  const middle = outcomeOf(
    pairs,
    worldOf(beliefs, models.length, () => 0),
  );
  const outcomes = await drawOutcomes(pairs, beliefs, models.length, draws);
  return comparisonOf({ models, counts, choices }, middle, outcomes);
}

interface Compared {
  readonly models: readonly string[];
  /** Per model: in how many choices it was a candidate. */
  readonly counts: readonly number[];
  readonly choices: number;
}

async function comparisonOf(
  { models, counts, choices }: Compared,
  middle: Outcome,
  draws: readonly Outcome[],
): Promise<ChoiceComparison> {
  const each = async (pick: (outcome: Outcome, place: number) => number): Promise<Figure[]> => {
    const figures: Figure[] = [];
    for (const place of models.keys()) {
      const drawn = draws.map((draw) => pick(draw, place));
      figures.push(around(pick(middle, place), drawn));
      await setImmediate();
    }
    return figures;
  };
  const gainOf = ({ gain }: Outcome, place: number): number =>
    gain[place]! / Math.max(1, counts[place]!);
  const gain = await each(gainOf);
  const usual = [...models.keys()].filter((place) => isUsual(counts[place]!, choices));
  const best = usual.reduce<number | null>(
    (top, place) => (top === null || gain[place]!.value > gain[top]!.value ? place : top),
    null,
  );
  return {
    models,
    choices,
    spentUsd: around(
      middle.spent,
      draws.map(({ spent }) => Math.max(0, spent)),
    ),
    savedUsd: await each((outcome, place) => outcome.saved[place]!),
    gain,
    best,
    givenUp: best === null ? null : givenUpOf(gain[best]!, usual, draws, gainOf),
  };
}

/** The gain of the best, whose upper end allows for another usual one being the best. */
function givenUpOf(
  gain: Figure,
  usual: readonly number[],
  draws: readonly Outcome[],
  gainOf: (draw: Outcome, place: number) => number,
): Figure {
  const highest = around(
    gain.value,
    draws.map((draw) => Math.max(...usual.map((place) => gainOf(draw, place)))),
  );
  return { ...gain, high: Math.max(highest.high, gain.high) };
}

/** The interval of the draws, which holds the value too. */
function around(value: number, draws: readonly number[]): Figure {
  // sorted as numbers without a comparison in JavaScript, which takes ten times as long
  const sorted = Float64Array.from(draws).sort();
  const low = sorted[Math.floor(0.025 * sorted.length)]!;
  const high = sorted[Math.floor(0.975 * sorted.length)]!;
  return { value, low: Math.min(low, value), high: Math.max(high, value) };
}

/** In turns, so that requests do not wait for it. */
async function drawOutcomes(
  pairs: readonly Pair[],
  beliefs: ModelBeliefs,
  count: number,
  draws: number,
): Promise<Outcome[]> {
  const random = seeded(pairs.length + 1);
  const draw = (): number => normal(random);
  const noise = noiseOf(pairs, count);
  const outcomes: Outcome[] = [];
  let rows = 0;
  while (outcomes.length < draws) {
    const outcome = outcomeOf(pairs, worldOf(beliefs, count, draw));
    outcome.spent += noise.spent * draw();
    for (let place = 0; place < count; place++) {
      outcome.saved[place]! += noise.saved[place]! * draw();
      outcome.gain[place]! += noise.gain[place]! * draw();
    }
    outcomes.push(outcome);
    // correlated beliefs take a row of work for each two models
    rows += pairs.length + count ** 2;
    if (rows < rowsPerTurn) continue;
    rows = 0;
    await setImmediate();
  }
  return outcomes;
}

/** @param draw returns a number from the normal distribution; 0 for the means */
function worldOf({ verbosity, quality }: ModelBeliefs, count: number, draw: () => number): World {
  return {
    answers: verbosity.sample(draw).map(Math.exp),
    prompts: new Float64Array(count).map(() => Math.max(0, 1 + promptSpread * draw())),
    errors: quality.sample(draw),
    unseen: Math.exp(unseenSpread * draw()),
  };
}

function outcomeOf(pairs: readonly Pair[], world: World): Outcome {
  const { answers, prompts, errors, unseen } = world;
  const saved = new Float64Array(answers.length);
  const gain = new Float64Array(answers.length);
  let spent = 0;
  for (const row of pairs) {
    const { chosenPlace, place, isMeasured } = row;
    const own = isMeasured
      ? row.actualUsd
      : row.chosenPromptUsd * prompts[chosenPlace]! +
        row.chosenAnswerUsd * answers[chosenPlace]! * unseen;
    if (chosenPlace === place) {
      spent += own;
      continue;
    }
    // answers that were seen are scaled by their length, of which a part is the model's own
    const longer = isMeasured ? answers[place]! / answers[chosenPlace]! : answers[place]! * unseen;
    saved[place]! += row.promptUsd * prompts[place]! + row.answerUsd * longer - own;
    gain[place]! +=
      row.quality -
      row.chosenQuality +
      errors[place]! * row.uncertainty -
      errors[chosenPlace]! * row.chosenUncertainty;
  }
  return { spent, saved, gain };
}

/** Deviations due to single answers, which average out. */
function noiseOf(
  pairs: readonly Pair[],
  count: number,
): { readonly spent: number; readonly saved: Float64Array; readonly gain: Float64Array } {
  const saved = new Float64Array(count);
  const gain = new Float64Array(count);
  let spent = 0;
  for (const { chosenPlace, place, isMeasured, answerSquares, variance } of pairs) {
    if (chosenPlace === place) {
      if (!isMeasured) spent += answerSquares;
      continue;
    }
    // the length of a single answer varies about as much as it is long
    saved[place]! += isMeasured ? answerSquares : 2 * answerSquares;
    gain[place]! += variance;
  }
  return { spent: Math.sqrt(spent), saved: saved.map(Math.sqrt), gain: gain.map(Math.sqrt) };
}
