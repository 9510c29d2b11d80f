import { abilityByName, guessedAbility } from '../../../models/model-families.js';
import {
  coordinateCount,
  expectationsOf,
  standardise,
  writeCoordinates,
} from '../../predictor/custom-tuning.js';
import { logOdds } from '../../../models/numbers.js';
import { featuresOf } from '../../predictor/features/features.js';
import type { Expectation, QualityPredictor } from '../../predictor/quality-predictor.js';
import type { ReadRequest, TunedCandidate, Tuning } from '../../predictor/tuning.js';
import { createCatalog, type PriceSources } from '../../../models/catalog.js';
import { costOf } from '../../../models/cost.js';
import type { ModelOverride, Prices } from '../../../models/model-facts.js';
import { measureRequest } from '../../../models/tokens.js';
import { compared, type EvaluationRows } from './evaluation-rows.js';

/** What a training takes from the configuration: how `tradeoff: cost` chooses, and prices. */
export interface TrainingTerms extends PriceSources {
  /** How far below the best quality (0 to 1) that of a cheaper model may be. */
  readonly tolerance: number;
  /** The dial of economy as configured, 0 to 10. */
  readonly economy: number;
  /** What the configuration states about models, by `provider/model`. */
  readonly overrides: Readonly<Record<string, ModelOverride>>;
}

/** Evaluations as about a hundred numbers a prompt, so that many prompts fit into memory. */
export interface CustomRows {
  readonly models: readonly string[];
  readonly count: number;
  readonly width: number;
  /** By row, `width` standardised coordinates each. */
  readonly points: Float32Array;
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  /** By row and model: the predictor's log odds. */
  readonly odds: Float32Array;
  /** The same as an earlier training has moved them; null: there is none. */
  readonly earlierOdds: Float32Array | null;
  /** By row and model, 0..1; NaN if not measured. */
  readonly scores: Float32Array;
  readonly costs: Float32Array | null;
  /** By row and model: USD as routing expects them; NaN for a model whose price is not known. */
  readonly expectedCosts: Float32Array;
  /** By row: equal prompts have the same number. */
  readonly groups: Int32Array;
  /** By model: its ability, publicly known or guessed. */
  readonly known: Float32Array;
}

const everyRows = 500;

interface ReadWith {
  readonly predictor: QualityPredictor;
  readonly terms: TrainingTerms;
  /** What an earlier training taught. */
  readonly earlier: Tuning | null;
}

/** Reads each prompt with the predictor: some tens of microseconds and half a kilobyte each. */
export function readCustomRows(
  { models, prompts, scores, costs }: EvaluationRows,
  { predictor, terms, earlier }: ReadWith,
  onProgress: (share: number) => void,
): CustomRows {
  const known = abilitiesOf(models);
  const width = coordinateCount(predictor.weights);
  const points = new Float32Array(prompts.length * width),
    odds = new Float32Array(prompts.length * models.length),
    expectedCosts = new Float32Array(prompts.length * models.length);
  const earlierOdds = earlier && new Float32Array(odds.length);
  const prices = pricesOf(models, terms);
  const movedBy = earlier && mover(models, earlier);
  const expect = expectationsOf(predictor, models, known);
  prompts.forEach((content, row) => {
    const messages = [{ role: 'user' as const, content }];
    const features = featuresOf({ messages }),
      { tokens } = measureRequest(messages);
    const reading = predictor.read(features);
    writeCoordinates(reading, features, points, row * width);
    const expected = expect({ features, reading });
    expected.forEach(({ quality, outputTokens }, model) => {
      const at = row * models.length + model;
      odds[at] = logOdds(quality);
      expectedCosts[at] = expectedCost(prices[model]!, tokens, outputTokens);
    });
    if (movedBy) earlierOdds?.set(movedBy({ features, reading }, expected), row * models.length);
    if (row % everyRows === 0) onProgress(row / prompts.length);
  });
  const scaling = spreadOf(points, width);
  for (let row = 0; row < prompts.length; row++)
    standardise(points, row * width, scaling.mean, scaling.scale);
  return {
    models,
    count: prompts.length,
    width,
    points,
    ...scaling,
    odds,
    earlierOdds,
    scores,
    costs,
    expectedCosts,
    groups: groupsOf(prompts),
    known,
  };
}

const abilitiesOf = (models: readonly string[]): Float32Array =>
  Float32Array.from(models, (model) => abilityByName(model) ?? guessedAbility(model, null));

/** By model the log odds of a good answer, as a tuning moves what is expected. */
function mover(
  models: readonly string[],
  tuning: Tuning,
): (request: ReadRequest, expected: readonly Expectation[]) => number[] {
  const candidates = models.map(candidateNamed);
  return (read, expected) => {
    // one object for all of them: a tuning reads a request once
    const request = { ...read, kinds: { router: '', shares: [] } };
    return expected.map(
      (one, model) =>
        logOdds(one.quality) + (tuning.adjust(candidates[model]!, request, one)?.odds ?? 0),
    );
  };
}

function candidateNamed(label: string): TunedCandidate {
  const end = label.indexOf('/');
  return { label, provider: end < 0 ? null : label.slice(0, end), model: label.slice(end + 1) };
}

/** The mean and inverse spread of each coordinate; 0 for one that does not vary. */
function spreadOf(
  points: Float32Array,
  width: number,
): { mean: Float32Array; scale: Float32Array } {
  const rows = points.length / width;
  const sums = new Float64Array(width),
    squares = new Float64Array(width);
  for (let at = 0; at < points.length; at++) sums[at % width]! += points[at]!;
  for (let at = 0; at < points.length; at++)
    squares[at % width]! += (points[at]! - sums[at % width]! / rows) ** 2;
  const scale = Float32Array.from(squares, (square) =>
    square / rows < 1e-8 ? 0 : 1 / Math.sqrt(square / rows),
  );
  return { mean: Float32Array.from(sums, (sum) => sum / rows), scale };
}

function groupsOf(prompts: readonly string[]): Int32Array {
  const places = new Map<string, number>();
  return Int32Array.from(prompts, (prompt) => {
    const text = compared(prompt);
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  });
}

/** The prices of models as routing knows them, by the names that evaluations give them. */
function pricesOf(
  models: readonly string[],
  { overrides, priceIds, selfHosted = [] }: Omit<TrainingTerms, 'tolerance' | 'economy'>,
): Prices[] {
  const catalog = createCatalog({ overrides, priceIds, selfHosted });
  return models.map((model) => {
    const owner = catalog.identify(model);
    return catalog.lookup(owner?.provider ?? null, owner?.model ?? model);
  });
}

/** Expected USD for the tokens of a prompt and its answer; NaN if the price is not known. */
function expectedCost(prices: Prices, promptTokens: number, completionTokens: number): number {
  const usage = { promptTokens, completionTokens, cachedTokens: 0, estimated: true };
  return (
    costOf({ ...usage, cacheWriteTokens: 0, reasoningTokens: 0 }, prices).total_tokens_cost ?? NaN
  );
}
