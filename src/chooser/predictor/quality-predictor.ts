import { logOdds, sigmoid } from '../../models/numbers.js';
import type { Features } from './features/features.js';
import { Prototypes } from './prototypes.js';
import { type Reading, RequestReader } from './request-reader.js';
import type { PredictorWeights } from './predictor-file.js';

/** What is expected of one model's answer. */
export interface Expectation {
  /** The chance of a good answer, between 0 and 1. */
  readonly quality: number;
  /** The standard deviation of that chance: how uncertain it is. */
  readonly uncertainty: number;
  readonly outputTokens: number;
}

/** The spread of a model's quality on kinds of tasks that were not measured. */
const generalSpread = 0.1,
  guessedSpread = 0.15;
const priorRows = 6;
const minOutputTokens = 1,
  maxOutputTokens = 64_000;

const kept = (share: number): number => Math.min(0.995, Math.max(0.005, share));

/**
 * Predicts each model's quality from fitted weights. Reading a request of a kilobyte takes some
 * tens of microseconds, a prediction for one model less than one.
 */
export class QualityPredictor {
  /** Reads requests; public because the laboratory fits the gate to its figures. */
  readonly reader: RequestReader;
  private readonly prototypes: Prototypes;

  constructor(readonly weights: PredictorWeights) {
    this.prototypes = new Prototypes(weights);
    this.reader = new RequestReader(weights, this.prototypes);
  }

  /** Reads one request. The result serves the predictions for all models. */
  read(features: Features): Reading {
    return this.reader.read(features);
  }

  /** What to expect of a measured model, by its place. */
  expect(reading: Reading, model: number): Expectation {
    const { shares: table, counts, models, ability, slopes, general, modelLengths } = this.weights;
    let share = 0,
      variance = 0;
    for (const task of reading.tasks) {
      const weight = reading.shares[task]!;
      const at = task * models.length + model;
      const one = table[at]!;
      share += weight * one;
      variance += (weight * one * (1 - one)) / (priorRows + counts[at]!);
    }
    const alike =
      reading.nearest === null
        ? 0
        : share + this.prototypes.beyondTask(reading.nearest, model, models.length);
    return mix(
      reading,
      oddsOf(share) - slopes[model]! * reading.difficulty,
      variance,
      ability[model]! - general[0]!,
      generalSpread,
      modelLengths[model]!,
      reading.trustInNearest,
      alike,
    );
  }

  /**
   * What to expect of a model that was not measured.
   * @param known its ability, 0..1, publicly known or guessed
   */
  guess(reading: Reading, known: number): Expectation {
    const { discrimination, hardness, general } = this.weights;
    const ability = general[1]! * oddsOf(known) + general[2]!;
    let share = 0;
    for (const task of reading.tasks)
      share += reading.shares[task]! * sigmoid(discrimination[task]! * ability - hardness[task]!);
    return mix(
      reading,
      oddsOf(share) - reading.difficulty,
      guessedSpread ** 2,
      ability - general[0]!,
      guessedSpread,
      0,
    );
  }
}

/**
 * Mixes what is known about the kind of task with what is known in general, by how familiar the
 * request is; then mixes in, by `trust`, what holds for similar prompts.
 */
function mix(
  reading: Reading,
  special: number,
  variance: number,
  generalOdds: number,
  spread: number,
  verbosity: number,
  trust = 0,
  alike = 0,
): Expectation {
  const { gate } = reading;
  const mixed =
    gate * sigmoid(special) + (1 - gate) * sigmoid(generalOdds - reading.generalDifficulty);
  return {
    quality: kept((1 - trust) * mixed + trust * alike),
    uncertainty: Math.sqrt(gate * variance + (1 - gate) * spread ** 2),
    outputTokens: Math.min(
      maxOutputTokens,
      Math.max(minOutputTokens, Math.exp(reading.length + verbosity)),
    ),
  };
}

const oddsOf = (share: number): number => logOdds(kept(share));
