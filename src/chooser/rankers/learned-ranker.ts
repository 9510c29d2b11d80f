import { AnswerCorrections } from '../answer-length/answer-corrections.js';
import { explored } from '../explore.js';
import { deviations } from '../figures.js';
import { type ExpectedQuality, QualityScale } from '../outlook/expected-quality.js';
import { type ModelAbilities, shippedAbilities } from '../outlook/model-abilities.js';
import { type OutlookReader, RequestKinds } from '../outlook/read-outlook.js';
import { shippedOutlook } from '../outlook/shipped-outlook.js';
import type { QualityPredictor } from '../predictor/quality-predictor.js';
import { type Adjustment, keptOdds } from '../predictor/tuning.js';
import { lengthOf, logOdds, sigmoid } from '../../models/numbers.js';
import type { Appraisal, CandidateFigures, Ranker, RoutingRequest } from '../plan.js';
import { predicted, type Understood } from '../predicted.js';
import { type Margins, rankByTradeoff } from '../rank-by-tradeoff.js';
import { CandidateQualities } from './candidate-quality.js';
import { createReader, type SeenRequest } from './seen-request.js';

/** What the learned ranker predicts with, and how far below the best quality a choice may be. */
export interface LearnedRankerOptions extends Margins {
  /** Tells models of 2024 apart. A function is called when the first request needs it. */
  readonly predictor: QualityPredictor | (() => QualityPredictor);
  /** Default: the shipped one. */
  readonly outlook?: OutlookReader;
  /** Default: the shipped ones. */
  readonly abilities?: ModelAbilities;
  /** How long the models' answers were. Default: nothing is known of them. */
  readonly corrections?: AnswerCorrections;
}

/** The prediction after all tunings: log odds added up, the quality within 0 and 1, and why. */
class Tuned {
  readonly learned: string[] = [];
  private odds: number;
  private uncertainty: number;

  constructor(private readonly expectation: ExpectedQuality) {
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

  get expected(): ExpectedQuality {
    const { basis, interval, quality: before, uncertainty: spread } = this.expectation;
    const quality = Math.max(0.001, Math.min(0.999, sigmoid(this.odds)));
    const { uncertainty } = this;
    // a tuning's own spread was measured on such requests; without one the interval only moves
    const [low, high] =
      uncertainty === spread
        ? interval.map((end) => end + quality - before)
        : [quality - deviations * uncertainty, quality + deviations * uncertainty];
    return { basis, quality, uncertainty, interval: [share(low!), share(high!)] };
  }
}

/**
 * The expectation after ratings, its interval widened by the uncertain difficulty of this request:
 * ratings of other requests do not reduce that.
 */
function withDifficulty(after: ExpectedQuality, before: ExpectedQuality): ExpectedQuality {
  const { quality, uncertainty } = after,
    own = deviations * before.uncertainty;
  const half = (whole: number): number =>
    lengthOf(Math.sqrt(Math.max(0, whole * whole - own * own)), deviations * uncertainty);
  const [low, high] = before.interval;
  return {
    ...after,
    interval: [
      share(quality - half(before.quality - low)),
      share(quality + half(high - before.quality)),
    ],
  };
}

const share = (value: number): number => Math.max(0, Math.min(1, value));

/** A conversation that has begun is not explored, even if another model answered in it. */
const hasBegun = ({ continued, messages }: RoutingRequest): boolean =>
  Boolean(continued) || messages.some(({ role }) => role === 'assistant');

/** Whether the time to the first token counts in the order. */
function weighsLatencyIn({ tradeoff, preference }: RoutingRequest): boolean {
  const wanted = tradeoff ?? preference?.tradeoff;
  return wanted ? wanted === 'latency' : (preference?.weights?.latency ?? 0) > 0;
}

/** What is known of a candidate after the account's evaluations, then its feedback and outcomes. */
function tuned(
  known: Appraisal,
  expectation: ExpectedQuality,
  seen: SeenRequest,
  understood: Understood,
  request: RoutingRequest,
): CandidateFigures {
  const { tunings = [], onlineLearning } = request;
  const result = new Tuned(expectation);
  for (const tuning of tunings) result.take(tuning.adjust(known.candidate, seen, expectation));
  const before = result.expected;
  const rated = new Tuned(before);
  const isMoved = onlineLearning
    ? rated.take(onlineLearning.tuning.adjust(known.candidate, seen, before))
    : false;
  const expected = predicted(
    known,
    isMoved ? withDifficulty(rated.expected, before) : before,
    request,
    understood,
  );
  result.learned.push(...rated.learned);
  if (result.learned.length > 0) expected.figures.learned = result.learned;
  if (isMoved) expected.figures.qualityBefore = before.quality;
  return expected;
}

/**
 * Ranks by what was learned: how well each model will answer this conversation, and what that will
 * cost. A model without measurements is judged by what is publicly known of its family. A quality
 * that the caller or the configuration states is taken as it is.
 */
export function createLearnedRanker({
  predictor,
  outlook = shippedOutlook(),
  abilities = shippedAbilities(),
  corrections = new AnswerCorrections(),
  ...margins
}: LearnedRankerOptions): Ranker {
  const kinds = new RequestKinds(outlook.weights);
  const earlier = typeof predictor === 'function' ? predictor : () => predictor;
  const read = createReader({ predictor: earlier, outlook, kinds });
  const scale = new QualityScale(outlook.weights, abilities);
  const qualities = new CandidateQualities(earlier, scale, abilities);
  const expected = (
    request: RoutingRequest,
    candidates: readonly Appraisal[],
  ): CandidateFigures[] => {
    const seen = read(request);
    const { clarity: gate, kinds: kindsOfTask, answer } = seen;
    const understood = { gate, kinds: kindsOfTask, answer, corrections };
    const isTuned = (request.tunings ?? []).length > 0 || Boolean(request.onlineLearning);
    const expectations = qualities.expect(candidates, seen);
    return candidates.map((one, at) => {
      const expectation = expectations[at]!;
      return isTuned && !one.qualityStated
        ? tuned(one, expectation, seen, understood, request)
        : predicted(one, expectation, request, understood);
    });
  };
  return {
    name: 'learned',
    learns: true,
    prepare: () => void earlier(),
    rank(request, candidates) {
      const ranked = rankByTradeoff(request, expected(request, candidates), margins);
      const { onlineLearning, planId, maxModelDepth } = request;
      if (!onlineLearning || planId === undefined || hasBegun(request)) return ranked;
      // a plausible alternative first, in the share of new conversations that may explore
      const depth = maxModelDepth ?? ranked.length;
      return explored(ranked, onlineLearning.exploration, planId, depth, weighsLatencyIn(request));
    },
    // ranked alone: its score is not used
    expect: (request, candidate) =>
      rankByTradeoff(request, expected(request, [candidate]), margins)[0]!.why,
  };
}
