import { messageOf } from '../../errors.js';
import { makeUsage, type Usage } from '../../completion.js';
import type { Attempt } from '../../dispatch/execute-plan.js';
import { cacheSavingOf, costOf } from '../../models/cost.js';
import type { Candidate, Plan } from '../../chooser/plan.js';
import { finishRequest } from './finish-request.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import { type GatewayRequest, newRequest } from '../request.js';

/** Tokens as the gateway counts them, or as OpenAI's API reports them. */
export type ReportedUsage =
  | Partial<Omit<Usage, 'estimated'>>
  | {
      readonly prompt_tokens: number;
      readonly completion_tokens: number;
      readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
      readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
    };

/** How a host's own call of a planned model went. What is absent is unknown. */
export interface CallReport {
  /** Whether the model answered. */
  readonly ok: boolean;
  /** The label of the candidate that was called. Default: the best. */
  readonly label?: string | null;
  /** From the call to the end of the answer, in ms. */
  readonly latencyMs?: number | null;
  /** From the call to the first token, in ms. */
  readonly firstTokenMs?: number | null;
  readonly usage?: ReportedUsage | null;
  /** How good the answer was, from 0 to 1: feedback from which later choices learn. */
  readonly score?: number | null;
  /** Why the answer ended, in OpenAI's words (`stop`, `length`, `content_filter`). */
  readonly finishReason?: string | null;
  /** Why the call failed, for the request log. Not the prompt. */
  readonly error?: unknown;
}

/** A plan to which the host may report how its own call of the model went. */
export interface ReportablePlan extends Plan {
  /**
   * Reports the call to the metrics, the log, the request log, usage and learning. Works after the
   * response has ended. Only the first report counts. Never throws.
   */
  readonly report: (report: CallReport) => void;
}

/**
 * The plan of a request as a host gets it.
 * @param isLogged whether the request has a row of its own in the request log already
 */
export function reportablePlan(
  parts: GatewayParts,
  request: GatewayRequest,
  plan: Plan,
  isLogged: boolean,
): ReportablePlan {
  let isReported = false;
  const report = (told: CallReport): void => {
    // the gateway itself reports a plan that it has executed
    if (isReported || request.call !== null) return;
    isReported = true;
    try {
      reportCall(parts, { request, plan, isLogged }, told);
    } catch (error) {
      parts.log.warning(`a report of the host app could not be recorded: ${messageOf(error)}`);
    }
  };
  return Object.assign({}, plan, { report });
}

interface Reported {
  readonly request: GatewayRequest;
  readonly plan: Plan;
  readonly isLogged: boolean;
}

function reportCall(parts: GatewayParts, reported: Reported, report: CallReport): void {
  const candidate = calledCandidate(reported.plan, report.label);
  const call = observedCall(parts, reported, report, candidate);
  const [attempt] = call.record.attempts;
  if (attempt) call.snapshot.onAttempt(measuredAttempt(call, attempt));
  finishRequest(parts, call);
  rate(parts, call, report);
}

const calledCandidate = (plan: Plan, label: string | null | undefined): Candidate =>
  plan.candidates.find((candidate) => candidate.label === label) ?? plan.candidates[0];

/** The call as a request that is over. */
function observedCall(
  parts: GatewayParts,
  { request, plan, isLogged }: Reported,
  report: CallReport,
  candidate: Candidate,
): GatewayRequest {
  const latencyMs = figure(report.latencyMs) ?? performance.now() - request.startedAt;
  const call = newRequest({
    id: request.id,
    isOwnId: request.isOwnId && !isLogged,
    snapshot: request.snapshot,
    caller: request.caller,
    surface: 'reported',
    startedAt: performance.now() - latencyMs,
  });
  call.isIdentified = request.isIdentified;
  call.plan = plan;
  const { record } = call;
  Object.assign(record, {
    status: report.ok ? 200 : 502,
    code: report.ok ? null : 'upstream_error',
    error: report.ok ? null : failureText(report.error),
    provider: candidate.provider,
    model: candidate.model,
    ttftMs: wholeOrNull(report.firstTokenMs),
    finishReason: report.finishReason ?? null,
    previousSession: request.record.previousSession,
    preferenceId: request.record.preferenceId,
  });
  record.attempts.push({
    provider: candidate.provider ?? '',
    model: candidate.model,
    number: 1,
    outcome: report.ok ? 'ok' : 'upstream_error',
    status: report.ok ? 200 : null,
    error: report.ok ? null : failureText(report.error),
    latencyMs: Math.round(latencyMs),
    startedAt: performance.now() - latencyMs,
    waitMs: 0,
    keyIndex: null,
    sentMs: null,
    headersMs: null,
    firstContentMs: figure(report.firstTokenMs),
    isWhole: false,
  });
  countUsage(parts, call, candidate, report.usage);
  return call;
}

/** Metric labels come from closed sets, and a client may have chosen the provider's name. */
function measuredAttempt({ snapshot }: GatewayRequest, attempt: Attempt): Attempt {
  const { provider, model } = attempt;
  return snapshot.isKnownModel(provider, model) || snapshot.providers.has(provider)
    ? attempt
    : { ...attempt, provider: 'other' };
}

function countUsage(
  { current }: GatewayParts,
  { record }: GatewayRequest,
  { provider, model }: Candidate,
  reported: ReportedUsage | null | undefined,
): void {
  if (!reported) return;
  const usage = usageOf(reported);
  record.promptTokens = usage.promptTokens;
  record.completionTokens = usage.completionTokens;
  record.reasoningTokens = usage.estimated ? null : usage.reasoningTokens;
  const facts = current().catalog.lookup(provider, model);
  record.costUsd = costOf(usage, facts).total_tokens_cost;
  record.cacheSavedUsd = cacheSavingOf(usage, facts);
}

function usageOf(usage: ReportedUsage): Usage {
  if (!('prompt_tokens' in usage)) return makeUsage(usage);
  return makeUsage({
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens,
  });
}

/** Stores the score that the host gives, as a rating. */
function rate(parts: GatewayParts, call: GatewayRequest, { score }: CallReport): void {
  const { caller, record, plan } = call;
  const rating = figure(score);
  if (rating === null || plan === null) return;
  const feedback = {
    subject: { kind: 'session' as const, id: plan.id },
    score: Math.min(1, rating),
    provider: record.provider,
    model: record.model,
  };
  parts.state.chooser
    .rate(caller, feedback)
    .catch((error: unknown) =>
      parts.log.warning(`a score of the host app could not be stored: ${messageOf(error)}`),
    );
}

const maxError = 500;

const failureText = (error: unknown): string | null =>
  error === undefined || error === null ? null : messageOf(error).slice(0, maxError);

/** A number that the host measured; null for any value that cannot be one. */
const figure = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

const wholeOrNull = (value: unknown): number | null => {
  const known = figure(value);
  return known === null ? null : Math.round(known);
};
