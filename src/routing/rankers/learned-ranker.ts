import { AnswerCorrections } from '../answer-length/answer-corrections.js';
import { type AskedAnswer, askedAnswer } from '../answer-length/asked-answer.js';
import { explored } from '../explore.js';
import { featuresOf } from '../predictor/features/features.js';
import { createFindModel, type FindModel } from '../predictor/known-models.js';
import { TaskKinds } from '../predictor/kinds-of-task.js';
import type { Expectation, QualityPredictor } from '../predictor/quality-predictor.js';
import { keptOdds, type Adjustment, type TunedRequest } from '../predictor/tuning.js';
import { logOdds, sigmoid } from '../numbers.js';
import type {
  Appraisal,
  CandidateFigures,
  RankedCandidate,
  Ranker,
  RoutingRequest,
} from '../plan.js';
import { predicted, type Understood } from '../predicted.js';
import { type Margins, rankByTradeoff } from '../rank-by-tradeoff.js';
import { measuredPlace } from './candidate-quality.js';

/** What the learned ranker predicts with, and how far below the best quality a choice may be. */
export interface LearnedRankerOptions extends Margins {
  readonly predictor: QualityPredictor;
  /** How long the models' answers were. Default: nothing is known of them. */
  readonly corrections?: AnswerCorrections;
}

/** A request with all that was read of it. */
interface Seen extends TunedRequest {
  readonly answer: AskedAnswer;
}

/**
 * The prediction after all tunings: log odds added up, the quality kept between 0 and 1, and why.
 */
class Tuned {
  readonly learned: string[] = [];
  private odds: number;
  private uncertainty: number;

  constructor(private readonly expectation: Expectation) {
    this.odds = logOdds(expectation.quality);
    this.uncertainty = expectation.uncertainty;
  }

  /** False if there is nothing to take in. */
  take(adjustment: Adjustment | null): boolean {
    if (adjustment === null || !Number.isFinite(adjustment.odds)) return false;
    const { odds, uncertainty, reason } = adjustment;
    this.odds += keptOdds(odds);
    if (uncertainty !== undefined && uncertainty >= 0) this.uncertainty = uncertainty;
    if (odds !== 0) this.learned.push(reason);
    return odds !== 0;
  }

  get expected(): Expectation {
    const quality = Math.max(0.001, Math.min(0.999, sigmoid(this.odds)));
    return { quality, uncertainty: this.uncertainty, outputTokens: this.expectation.outputTokens };
  }
}

/** Nothing is tried in a conversation that has begun, even if another model answered in it. */
const hasBegun = ({ continued, messages }: RoutingRequest): boolean =>
  Boolean(continued) || messages.some(({ role }) => role === 'assistant');

/** Whether the time to the first token has a say in the order. */
function weighsLatencyIn({ tradeoff, preference }: RoutingRequest): boolean {
  const wanted = tradeoff ?? preference?.tradeoff;
  return wanted ? wanted === 'latency' : (preference?.weights?.latency ?? 0) > 0;
}

/**
 * What is known of a candidate after the account's own evaluations, and then its feedback and
 * outcomes.
 */
function tuned(
  known: Appraisal,
  expectation: Expectation,
  seen: TunedRequest,
  understood: Understood,
  request: RoutingRequest,
): CandidateFigures {
  const { tunings = [], onlineLearning } = request;
  const result = new Tuned(expectation);
  for (const tuning of tunings) result.take(tuning.adjust(known.candidate, seen, expectation));
  const before = result.expected;
  const isMoved = onlineLearning
    ? result.take(onlineLearning.tuning.adjust(known.candidate, seen, before))
    : false;
  const expected = predicted(known, isMoved ? result.expected : before, request, understood);
  if (result.learned.length > 0) expected.figures.learned = result.learned;
  if (isMoved) expected.figures.qualityBefore = before.quality;
  return expected;
}

/** Puts a plausible alternative first in the share of new conversations that may explore. */
function tryAnother(ranked: RankedCandidate[], request: RoutingRequest): RankedCandidate[] {
  const { onlineLearning, planId, maxModelDepth } = request;
  if (!onlineLearning || planId === undefined || hasBegun(request)) return ranked;
  const depth = maxModelDepth ?? ranked.length;
  return explored(ranked, onlineLearning.exploration, planId, depth, weighsLatencyIn(request));
}

/** Reads each request once: a plan asks again for the candidates that are left out. */
function createReader(predictor: QualityPredictor): (request: RoutingRequest) => Seen {
  const kinds = new TaskKinds(predictor.weights);
  const readings = new WeakMap<RoutingRequest, Seen>();
  return (request) => {
    let seen = readings.get(request);
    if (!seen) {
      const features = featuresOf(request),
        reading = predictor.read(features);
      const answer = askedAnswer(request, features);
      seen = { features, reading, kinds: kinds.of(reading, features.genre), answer };
      readings.set(request, seen);
    }
    return seen;
  };
}

/**
 * Ranks by what was learned: how well each model will answer this conversation, and what that will
 * cost. A model without measurements is judged by what is publicly known of its family. A quality
 * that the caller or the configuration states is taken as it is.
 */
export function createLearnedRanker({
  predictor,
  tolerance,
  affinity,
  corrections = new AnswerCorrections(),
}: LearnedRankerOptions): Ranker {
  const find: FindModel = createFindModel(predictor.weights.models);
  const margins = { tolerance, affinity };
  const read = createReader(predictor);
  const expected = (
    request: RoutingRequest,
    candidates: readonly Appraisal[],
  ): CandidateFigures[] => {
    const seen = read(request),
      { reading, answer } = seen;
    const understood = { gate: reading.gate, kinds: seen.kinds, answer, corrections };
    const isTuned = (request.tunings ?? []).length > 0 || Boolean(request.onlineLearning);
    return candidates.map((one) => {
      const place = measuredPlace(one, find);
      const expectation =
        place < 0
          ? predictor.guess(reading, one.figures.quality)
          : predictor.expect(reading, place);
      return isTuned && !one.qualityStated
        ? tuned(one, expectation, seen, understood, request)
        : predicted(one, expectation, request, understood);
    });
  };
  return {
    name: 'learned',
    rank(request, candidates) {
      return tryAnother(rankByTradeoff(request, expected(request, candidates), margins), request);
    },
    // ranked alone: its score is not used
    expect: (request, candidate) =>
      rankByTradeoff(request, expected(request, [candidate]), margins)[0]!.why,
  };
}
