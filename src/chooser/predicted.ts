import { isContinued } from './affinity.js';
import type { AnswerCorrections } from './answer-length/answer-corrections.js';
import { type AnswerTokens, answerTokens } from './answer-length/answer-tokens.js';
import { answererOf } from './outlook/ability-of.js';
import { habitsOf } from '../models/model-habits.js';
import { imageTokens } from '../models/tokens.js';
import type { AskedAnswer } from './answer-length/asked-answer.js';
import type { ExpectedQuality } from './outlook/expected-quality.js';
import { type AnswerTimes, type Explanation, type KindsOfTask, noReason } from './figures.js';
import type { Appraisal, CandidateFigures, RoutingRequest } from './plan.js';

/**
 * Expected USD for a prompt without its answer; null if the price is unknown.
 * @param cachedTokens of the prompt: what its provider has read before
 */
function promptCost(
  { rates: { input, output, cachedInput, request = 0 } }: Appraisal,
  promptTokens: number,
  cachedTokens: number,
): number | null {
  if (input === null && output === null) return null;
  const rate = input ?? output ?? 0;
  const cached = Math.min(cachedTokens, promptTokens);
  return ((promptTokens - cached) * rate + cached * (cachedInput ?? rate)) / 1e6 + request;
}

/** Expected USD for an answer; null if the price is unknown. */
function answerCostOf(
  { rates: { input, output, reasoning } }: Appraisal,
  tokens: AnswerTokens,
): number | null {
  const rate = output ?? input;
  if (rate === null) return null;
  return (tokens.visible * rate + tokens.reasoning * (reasoning ?? rate)) / 1e6;
}

/** Tokens of the prompt for a model: each has its own rule for pictures. */
function promptTokensOf({ promptTokens = 0, images = 0 }: RoutingRequest, knownAs: string): number {
  if (images === 0) return promptTokens;
  return Math.max(0, promptTokens + images * (habitsOf(knownAs).imageTokens - imageTokens));
}

/** What a limit leaves of an answer: what a model reasons comes first. */
function limited({ visible, reasoning }: AnswerTokens, limit: number): AnswerTokens {
  if (visible + reasoning <= limit) return { visible, reasoning };
  const left = Math.min(reasoning, limit);
  return { visible: Math.max(0, limit - left), reasoning: left };
}

/**
 * Expected seconds of an answer; null if its model's pace is not known. Where only the time to the
 * first token was measured, the answer begins no sooner.
 */
function timesOf(
  { pace, figures: { latency } }: Appraisal,
  { visible, reasoning }: AnswerTokens,
): AnswerTimes | null {
  if (pace === null) return null;
  const { startSeconds, secondsPerToken, answers } = pace;
  const isExpected = answers === 0;
  const start = Math.max(
    startSeconds + reasoning * secondsPerToken,
    isExpected ? (latency ?? 0) : 0,
  );
  return { start, whole: start + visible * secondsPerToken, isExpected };
}

/** What was understood of a request, the same for all candidates. */
export interface Understood {
  readonly answer: AskedAnswer;
  readonly corrections: AnswerCorrections;
  readonly gate: number;
  readonly kinds: KindsOfTask;
}

/** A candidate's figures with what is predicted for this request. A stated quality stays. */
export function predicted(
  known: Appraisal,
  { quality, uncertainty, interval, basis }: ExpectedQuality,
  request: RoutingRequest,
  { gate, kinds, answer, corrections }: Understood,
): CandidateFigures {
  const { candidate, figures, qualityStated, maxOutput } = known;
  const { model } = candidate;
  const answerer = answererOf(known);
  const { maxTokens, continued, accountId = null } = request;
  const tokens = limited(
    answerTokens(answer, answerer.model, answerer.effort, corrections.factorOf(model, accountId)),
    Math.min(maxTokens ?? Infinity, maxOutput ?? Infinity),
  );
  const cachedTokens = continued && isContinued(candidate, continued) ? continued.cachedTokens : 0;
  const answerCost = answerCostOf(known, tokens);
  const prompt = promptCost(known, promptTokensOf(request, answerer.model), cachedTokens);
  // an explanation that waits for its reason, so that the candidate's place needs no copy
  const why: Explanation = {
    quality: qualityStated ? figures.quality : quality,
    price: figures.price,
    latency: figures.latency,
    reason: noReason,
    uncertainty: qualityStated ? 0 : uncertainty,
    interval: qualityStated ? null : interval,
    basis: qualityStated ? null : basis,
    cost: prompt === null || answerCost === null ? null : prompt + answerCost,
    answerCost,
    outputTokens: tokens.visible + tokens.reasoning,
    times: timesOf(known, tokens),
    gate,
    kinds,
  };
  return { candidate, figures: why };
}
