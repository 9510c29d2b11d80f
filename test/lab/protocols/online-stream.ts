import { logOdds, sigmoid } from '../../../src/models/numbers.js';
import { drawOf, plausiblePlaces } from '../../../src/chooser/explore.js';
import { withRating } from '../../../src/chooser/learning/add-evidence.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { type LearnedState, nothingLearned } from '../../../src/chooser/learning/evidence.js';
import { createLearnedTuning } from '../../../src/chooser/learning/learned-tuning.js';
import type { Reading } from '../../../src/chooser/predictor/request-reader.js';
import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import type { Figures, KindsOfTask } from '../../../src/chooser/figures.js';
import type { Candidate } from '../../../src/chooser/plan.js';
import type { EvaluatedPool } from '../pools.js';
import { listPriceOf } from '../prices.js';
import { createRandomStream } from '../random.js';
import { RequestKinds } from '../../../src/chooser/outlook/read-outlook.js';

/** How a stream is run. */
export interface StreamOptions {
  readonly seed: number;
  /** How many orders of the rows are run; the regret is their mean. */
  readonly repeats: number;
  /** Share of the decisions that try another model. */
  readonly exploration: number;
}

/**
 * Mean regret against the best single model in tenths of the stream, first to last. Below 0 is
 * better than that model.
 */
export interface StreamRegret {
  readonly name: string;
  readonly rows: number;
  /** Without learning. */
  readonly router: Float64Array;
  readonly learning: Float64Array;
  /** Learning, with some decisions left to exploration. */
  readonly exploring: Float64Array;
}

const parts = 10;

/** What the predictor expects of one row. */
interface PredictedRow {
  readonly reading: Reading;
  readonly kinds: KindsOfTask;
  readonly models: readonly {
    readonly quality: number;
    readonly uncertainty: number;
    readonly outputTokens: number;
    readonly cost: number;
  }[];
}

interface Stream {
  readonly pool: EvaluatedPool;
  /** Under this name kinds of task are numbered. */
  readonly router: string;
  readonly predicted: readonly PredictedRow[];
  readonly candidates: readonly Candidate[];
  /** By place in the stream: the row. */
  readonly order: Int32Array;
}

/**
 * Streams the rows of a pool through a router that did not see them, in several orders: without
 * learning, learning from the score of each model that it chose, and with exploration.
 */
export function streamOnline(
  predictor: QualityPredictor,
  pool: EvaluatedPool,
  { seed, repeats, exploration }: StreamOptions,
): StreamRegret {
  const kinds = new RequestKinds(shippedOutlook().weights);
  const predicted = pool.features.map((_, row) => predictRow(predictor, kinds, pool, row));
  const candidates = pool.models.map((model) => ({ label: model, provider: null, model }));
  const regret = {
    router: new Float64Array(parts),
    learning: new Float64Array(parts),
    exploring: new Float64Array(parts),
  };
  for (let repeat = 0; repeat < repeats; repeat++) {
    const order = createRandomStream(seed + repeat).order(pool.rows);
    const stream = { pool, router: kinds.router, predicted, candidates, order };
    addRegret(regret.router, stream, repeats, choicesOf(stream, false, 0));
    addRegret(regret.learning, stream, repeats, choicesOf(stream, true, 0));
    addRegret(regret.exploring, stream, repeats, choicesOf(stream, true, exploration));
  }
  return { name: pool.name, rows: pool.rows, ...regret };
}

function predictRow(
  predictor: QualityPredictor,
  requestKinds: RequestKinds,
  { features, models, inputTokens }: EvaluatedPool,
  row: number,
): PredictedRow {
  const reading = predictor.read(features[row]!);
  return {
    reading,
    kinds: requestKinds.of(shippedOutlook().read(features[row]!)),
    models: models.map((model) => {
      const expected = predictor.expect(reading, predictor.weights.models.indexOf(model));
      const [input, output] = listPriceOf(model);
      const cost = (inputTokens[row]! * input + expected.outputTokens * output) / 1e6;
      return { ...expected, cost };
    }),
  };
}

/** By place in the stream: the model that was chosen. */
function choicesOf(stream: Stream, isLearning: boolean, exploration: number): Int32Array {
  const { pool, predicted, order } = stream;
  const width = pool.models.length;
  let state: LearnedState = nothingLearned;
  return Int32Array.from(order, (row) => {
    const { kinds, models } = predicted[row]!;
    const chosen = choose(stream, state, row, exploration);
    if (isLearning) {
      state = withRating(state, {
        key: null,
        subject: '',
        model: pool.models[chosen]!,
        kinds,
        predicted: models[chosen]!.quality,
        score: pool.scores[row * width + chosen]!,
        at: 0,
      });
    }
    return chosen;
  });
}

const noFeatures = {
  buckets: new Int32Array(),
  weights: new Float32Array(),
  dense: new Float32Array(),
  genre: 'other' as const,
  isCourtesy: false,
};

/** Chooses as the learned ranker does: the best by tuned quality, or one worth exploring. */
function choose(
  { router, predicted, candidates }: Stream,
  state: LearnedState,
  row: number,
  exploration: number,
): number {
  const tuning = createLearnedTuning(state, router, 0);
  const { reading, kinds, models } = predicted[row]!;
  const request = { reading, features: noFeatures, kinds };
  const ranked: (Figures & { readonly model: number })[] = models.map((expected, model) => {
    const tuned = tuning?.adjust(candidates[model]!, request, expected);
    return {
      model,
      quality: sigmoid(logOdds(expected.quality) + (tuned?.odds ?? 0)),
      uncertainty: tuned?.uncertainty ?? expected.uncertainty,
      cost: expected.cost,
      price: null,
      latency: null,
    };
  });
  ranked.sort((a, b) => b.quality - a.quality);
  const places = drawOf(`row ${row}`, 0) < exploration ? plausiblePlaces(ranked) : [];
  return ranked[places[Math.floor(drawOf(`row ${row}`, 1) * places.length)] ?? 0]!.model;
}

/** Adds the regret of some choices, divided by the number of orders. */
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
  order.forEach((row, place) => {
    const regret = scores[row * width + best]! - scores[row * width + choices[place]!]!;
    sums[partOf(place)]! += regret / counts[partOf(place)]! / repeats;
  });
}
