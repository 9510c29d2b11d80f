import { logOdds, sigmoid } from '../../../src/routing/numbers.js';
import { drawOf, plausiblePlaces } from '../../../src/routing/explore.js';
import { withRating } from '../../../src/routing/predictor/online-learner.js';
import {
  largestShares,
  nothingLearned,
  type OnlineState,
} from '../../../src/routing/predictor/online-state.js';
import { createOnlineTuning } from '../../../src/routing/predictor/online-tuning.js';
import type { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import type { Reading } from '../../../src/routing/predictor/request-reader.js';
import type { Candidate, Figures } from '../../../src/routing/plan.js';
import { seeded, shuffle } from '../../../src/training/custom/seeded.js';
import type { EvaluatedPool } from '../pools.js';
import { listPriceOf } from '../prices.js';

/** How a stream is led. */
export interface StreamOptions {
  readonly seed: number;
  /** Orders of the rows that are tried; the regret is their mean. */
  readonly repeats: number;
  /** Share of the decisions that try another model. */
  readonly exploration: number;
}

/** Mean regret against the best single model in equal parts of the stream, first to last; below 0: better than that model. */
export interface StreamRegret {
  readonly name: string;
  readonly rows: number;
  readonly router: Float64Array;
  readonly learning: Float64Array;
  readonly exploring: Float64Array;
}

const parts = 10;

/** What the router alone predicts of one row. */
interface PredictedRow {
  readonly reading: Reading;
  readonly models: readonly {
    readonly quality: number;
    readonly uncertainty: number;
    readonly outputTokens: number;
    readonly cost: number;
  }[];
}

interface Stream {
  readonly pool: EvaluatedPool;
  readonly router: string;
  readonly predicted: readonly PredictedRow[];
  readonly candidates: readonly Candidate[];
  /** By place in the stream: the row. */
  readonly order: Int32Array;
}

/**
 * Streams the rows of a pool through a router that did not see them, in several orders: alone, with what it learns of the score of each model that
 * it chose, and with some of the decisions left to exploration.
 */
export function streamOnline(
  router: QualityPredictor,
  pool: EvaluatedPool,
  { seed, repeats, exploration }: StreamOptions,
): StreamRegret {
  const predicted = pool.features.map((_, row) => predictRow(router, pool, row));
  const candidates = pool.models.map((model) => ({ label: model, provider: null, model }));
  const regret = {
    router: new Float64Array(parts),
    learning: new Float64Array(parts),
    exploring: new Float64Array(parts),
  };
  for (let repeat = 0; repeat < repeats; repeat++) {
    const order = Int32Array.from({ length: pool.rows }, (_, row) => row);
    shuffle(order, seeded(seed + repeat));
    const stream = { pool, router: router.weights.name, predicted, candidates, order };
    addRegret(regret.router, stream, repeats, choicesOf(stream, false, 0));
    addRegret(regret.learning, stream, repeats, choicesOf(stream, true, 0));
    addRegret(regret.exploring, stream, repeats, choicesOf(stream, true, exploration));
  }
  return { name: pool.name, rows: pool.rows, ...regret };
}

function predictRow(
  router: QualityPredictor,
  { features, models, inputTokens }: EvaluatedPool,
  row: number,
): PredictedRow {
  const reading = router.read(features[row]!);
  return {
    reading,
    models: models.map((model) => {
      const expected = router.expect(reading, router.placeOf(model)),
        [input, output] = listPriceOf(model);
      return {
        ...expected,
        cost: (inputTokens[row]! * input + expected.outputTokens * output) / 1e6,
      };
    }),
  };
}

/** By place in the stream the model that was chosen. */
function choicesOf(stream: Stream, isLearning: boolean, exploration: number): Int32Array {
  const { pool, router, predicted, order } = stream,
    width = pool.models.length;
  let state: OnlineState = nothingLearned;
  return Int32Array.from(order, (row) => {
    const { reading, models } = predicted[row]!;
    const chosen = chosenOf(stream, state, row, exploration);
    if (isLearning) {
      const kinds = { router, shares: largestShares(reading.shares) };
      state = withRating(state, {
        model: pool.models[chosen]!,
        kinds,
        predicted: models[chosen]!.quality,
        score: pool.scores[row * width + chosen]!,
        earlier: null,
        at: 0,
      });
    }
    return chosen;
  });
}

function chosenOf(
  { router, predicted, candidates }: Stream,
  state: OnlineState,
  row: number,
  exploration: number,
): number {
  const tuning = createOnlineTuning(state, router, 0),
    one = predicted[row]!;
  const request = {
    reading: one.reading,
    features: { buckets: new Int32Array(), weights: new Float32Array(), dense: new Float32Array() },
  };
  const figures: (Figures & { readonly model: number })[] = one.models.map((expected, model) => {
    const moved = tuning?.adjust(candidates[model]!, request, expected);
    const odds = logOdds(expected.quality) + (moved?.odds ?? 0);
    return {
      model,
      quality: sigmoid(odds),
      uncertainty: moved?.uncertainty ?? expected.uncertainty,
      cost: expected.cost,
      price: null,
      latency: null,
    };
  });
  figures.sort((a, b) => b.quality - a.quality);
  const places = drawOf(`row ${row}`, 0) < exploration ? plausiblePlaces(figures) : [];
  return figures[places[Math.floor(drawOf(`row ${row}`, 1) * places.length)] ?? 0]!.model;
}

/** Adds the regret of some choices, a share of several orders. */
function addRegret(
  sums: Float64Array,
  { pool: { scores, models, rows }, order }: Stream,
  repeats: number,
  choices: Int32Array,
): void {
  const width = models.length;
  const means = models.map(
    (_, model) => order.reduce((sum, row) => sum + scores[row * width + model]!, 0) / rows,
  );
  const best = means.indexOf(Math.max(...means));
  const counts = new Float64Array(parts);
  const partOf = (place: number): number => Math.floor((place * parts) / rows);
  order.forEach((_, place) => counts[partOf(place)]!++);
  order.forEach(
    (row, place) =>
      (sums[partOf(place)]! +=
        (scores[row * width + best]! - scores[row * width + choices[place]!]!) /
        counts[partOf(place)]! /
        repeats),
  );
}
