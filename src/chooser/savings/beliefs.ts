import type { ChoiceSums, RatedQuality } from '../../store/contracts/choices.js';
import { JointBelief, type Prior } from './joint-belief.js';
import { observeLengths, observeQuality, type Pairs, strictness, unpaired } from './pairs.js';

/** What is known beside the choices. */
export interface SavingsEvidence {
  /** Of single answers, those of pairs included. */
  readonly ratings: readonly RatedQuality[];
  readonly pairs: Pairs;
}

/**
 * How far the predictions of each model may be off in all requests alike, by the places of the
 * models. Errors of this kind do not average out, so that they decide the width of the intervals.
 */
export interface ModelBeliefs {
  /** Natural logarithms of the lengths of answers over the predicted lengths. */
  readonly verbosity: JointBelief;
  /** Errors of the predicted quality, in standard deviations of the prediction. */
  readonly quality: JointBelief;
}

/**
 * Spread of the logarithm of a model's mean answer length around what is predicted, before any of
 * its answers was seen: a factor of 1.5 either way. Lengths of models that think vary most.
 */
const verbositySpread = 0.4;
/** The same of different kinds of requests answered by one model. */
const requestSpread = 0.25;
/** Of a single answer's length. */
const answerSpread = 0.8;
/** The assumed spread of all models counts as much as this number of observed models. */
const priorModels = 4;
/** Variance of a score around the quality, before scores were seen: good or bad, evenly. */
const scoreVariance = 0.25;
const priorScores = 2;
const minScoreVariance = 0.0025;

interface Length {
  readonly log: number;
  readonly choices: number;
}

/** What is believed of the models after their own answers, pairs of answers, and ratings. */
export function believedOf(
  places: ReadonlyMap<string, number>,
  sums: readonly ChoiceSums[],
  { ratings, pairs }: SavingsEvidence,
): ModelBeliefs {
  const models = [...places.keys()];
  const lengths = lengthsOf(sums);
  const spread = spreadOf([...lengths.values()]);
  const mean = meanOf([...lengths.values()].map(({ log }) => log));
  const rated = new Map(unpaired(ratings, pairs.rated).map((one) => [one.model, one]));
  const uncertainties = meanUncertainties(sums);
  const all = { spread, mean, count: lengths.size };
  const verbosity = new JointBelief(models.map((model) => verbosityOf(lengths.get(model), all)));
  const quality = new JointBelief(
    models.map((model) => qualityOf(rated.get(model), uncertainties.get(model) ?? 0)),
  );
  observeLengths(verbosity, places, pairs.sums);
  observeQuality(quality, places, pairs.rated);
  return { verbosity, quality };
}

/** By model: the logarithm of the length of its answers over the predicted length. */
function lengthsOf(sums: readonly ChoiceSums[]): Map<string, Length> {
  const seen = new Map<string, { tokens: number; expected: number; choices: number }>();
  for (const row of sums) {
    if (row.chosen !== row.candidate || row.tokens <= 0 || row.expectedTokens <= 0) continue;
    const one = seen.get(row.chosen) ?? { tokens: 0, expected: 0, choices: 0 };
    one.tokens += row.tokens;
    one.expected += row.expectedTokens;
    one.choices += row.choices;
    seen.set(row.chosen, one);
  }
  return new Map(
    [...seen].map(([model, { tokens, expected, choices }]) => [
      model,
      { log: Math.log(tokens / expected), choices },
    ]),
  );
}

/** The spread of all models: wider than assumed if their lengths differ more, else narrower. */
function spreadOf(lengths: readonly Length[]): number {
  const mean = meanOf(lengths.map(({ log }) => log));
  const squares = lengths.reduce((sum, { log }) => sum + (log - mean) ** 2, 0);
  const seen = Math.max(0, lengths.length - 1);
  return Math.sqrt((priorModels * verbositySpread ** 2 + squares) / (priorModels + seen));
}

/**
 * A model that was called in some requests is compared with the mean of all that were called: what
 * they have in common is due to the requests, and the given answers show it.
 */
function verbosityOf(
  length: Length | undefined,
  all: { readonly spread: number; readonly mean: number; readonly count: number },
): Prior {
  const { spread, mean, count } = all;
  if (!length || count < 2) return { mean: 0, spread };
  const noise = requestSpread ** 2 + answerSpread ** 2 / length.choices;
  const weight = spread ** 2 / (spread ** 2 + noise);
  return {
    mean: weight * (length.log - mean),
    spread: spread * Math.sqrt(1 - weight * (1 - 1 / count)),
  };
}

/** Ratings, where there are any, move and narrow the error of the predicted quality. */
function qualityOf(rated: RatedQuality | undefined, uncertainty: number): Prior {
  if (!rated || rated.answers <= 0 || uncertainty <= 0) return { mean: 0, spread: 1 };
  const { answers, difference, squares } = rated;
  const around = Math.max(0, squares - difference ** 2 / answers);
  const variance = Math.max(
    minScoreVariance,
    (priorScores * scoreVariance + around) / (priorScores + answers - 1),
  );
  const known = uncertainty ** 2 / (variance / answers + strictness ** 2);
  return {
    mean: ((difference / answers / uncertainty) * known) / (1 + known),
    spread: Math.sqrt(1 / (1 + known)),
  };
}

function meanUncertainties(sums: readonly ChoiceSums[]): Map<string, number> {
  const totals = new Map<string, [sum: number, choices: number]>();
  for (const { candidate, uncertainty, choices } of sums) {
    const [sum, count] = totals.get(candidate) ?? [0, 0];
    totals.set(candidate, [sum + uncertainty, count + choices]);
  }
  return new Map([...totals].map(([model, [sum, count]]) => [model, count > 0 ? sum / count : 0]));
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, one) => sum + one, 0) / values.length;
