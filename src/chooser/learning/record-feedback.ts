import { randomUUID } from 'node:crypto';
import { invalidField } from '../../errors.js';
import type { FeedbackRow, RequestRow } from '../../store/contracts/requests.js';
import type { Store } from '../../store/contracts/store.js';
import {
  decisionOfRequest,
  decisionOfSelection,
  labelledCandidate,
  predictedQuality,
  type RatedDecision,
  ratingOf,
} from './rated-decision.js';
import type { LearningCache } from './learning-cache.js';
import { isSelection } from '../../surface-labels.js';

/** A rated model selection (session), answer (response), or request (by its `X-Request-Id`). */
export interface FeedbackSubject {
  readonly kind: 'session' | 'response' | 'request';
  readonly id: string;
}

/** Feedback as a client sends it. */
export interface NewFeedback {
  readonly subject: FeedbackSubject;
  /** From 0 (bad) to 1 (good); absent if only a measurement is reported. */
  readonly score?: number | null;
  readonly comment?: string | null;
  /** The candidate that is rated. Default: the one that was chosen, or that answered. */
  readonly provider?: string | null;
  readonly model?: string | null;
  /** Measured by the client. */
  readonly tokensPerSecond?: number | null;
}

/** Who gives feedback. */
export interface Rater {
  readonly accountId: string;
  readonly keyId: string | null;
}

/** What feedback is stored with. */
export interface FeedbackTerms {
  readonly ids: { ready(): Promise<unknown>; isOf(id: string, accountId: string): boolean };
  /** The store, with all finished requests in it. @throws GatewayError `unavailable` */
  settled(): Promise<Store>;
  /** What takes ratings in; null: choices do not learn. */
  readonly learning: LearningCache | null;
}

/**
 * Stores feedback and what is learned from it, together.
 * @throws GatewayError `not_found` with the field, if the subject does not exist or belongs to
 * another account; `unavailable` if the database cannot be reached
 */
export async function recordFeedback(
  terms: FeedbackTerms,
  caller: Rater,
  { subject, ...feedback }: NewFeedback,
): Promise<{ readonly row: FeedbackRow; readonly isLearned: boolean }> {
  const { ids } = terms;
  await ids.ready();
  if (subject.kind !== 'request' && !ids.isOf(subject.id, caller.accountId))
    throw notFound(subject);
  const store = await terms.settled();
  const found = await findSubject(store, caller.accountId, subject);
  // by provider and model, or by model selection's label
  const { provider, model } = feedback;
  const isLabel = !provider && model && found.decision;
  const given = isLabel ? (labelledCandidate(found.decision, model) ?? feedback) : feedback;
  const named = provider || model ? given : found;
  const row: FeedbackRow = {
    id: randomUUID(),
    accountId: caller.accountId,
    keyId: caller.keyId,
    at: Date.now(),
    sessionId: found.sessionId,
    responseId: found.responseId,
    provider: named.provider ?? null,
    model: named.model ?? null,
    score: feedback.score ?? null,
    comment: feedback.comment ?? null,
    tokensPerSecond: feedback.tokensPerSecond ?? null,
    predicted: found.decision ? predictedQuality(found.decision, named) : null,
  };
  const isLearned = await storeFeedback(store, terms.learning, row, found.decision);
  return { row, isLearned };
}

/**
 * Stores the feedback. If it rates a candidate of the decision, it also influences later choices of
 * the same account or preference. @returns whether it does
 */
async function storeFeedback(
  store: Store,
  learning: LearningCache | null,
  row: FeedbackRow,
  decision: RatedDecision | null,
): Promise<boolean> {
  const { accountId, provider, model, score, at } = row;
  const rating =
    decision && score !== null ? ratingOf(decision, { provider, model, score, at }) : null;
  if (!learning || !decision || !rating) {
    await store.feedback.add(row);
    return false;
  }
  await learning.rate(row, { accountId, preferenceId: decision.preferenceId }, rating);
  return true;
}

/** `decision` is null if it is no longer stored, or not yet: nothing can be learned from it. */
type Found = Pick<FeedbackRow, 'sessionId' | 'responseId' | 'provider' | 'model'> & {
  readonly decision: RatedDecision | null;
};

/**
 * Finds what is rated. The signed id of a session or an answer proves that it existed, even if its
 * record is deleted or another replica has not written it yet.
 */
async function findSubject(
  store: Store,
  accountId: string,
  { kind, id }: FeedbackSubject,
): Promise<Found> {
  if (kind === 'session') {
    const decisions = await store.selections.group(accountId, id);
    const row = decisions.find((decision) => decision.id === id);
    const [first] = (row?.candidates ?? []) as { provider: string | null; model: string }[];
    return {
      sessionId: id,
      responseId: null,
      provider: first?.provider ?? null,
      model: first?.model ?? null,
      decision: row ? decisionOfSelection(row) : null,
    };
  }
  if (kind === 'response') {
    const { items } = await store.requests.list(
      { accountId, responseId: id },
      { limit: 1, cursor: null },
    );
    const row = items[0] ? await store.requests.find(accountId, items[0].id) : null;
    return { sessionId: null, responseId: id, ...answererOf(row) };
  }
  const row = await store.requests.find(accountId, id);
  if (!row) throw notFound({ kind, id });
  const { responseId, planId } = row;
  // an answer without an id of the gateway is identified by its plan
  if (responseId === null && planId === null)
    throw invalidField('request_id', 'no model was chosen for this request');
  // model selection stores its decision separately
  if (responseId === null && planId !== null && isSelection(row.surface))
    return findSubject(store, accountId, { kind: 'session', id: planId });
  return { sessionId: responseId === null ? planId : null, responseId, ...answererOf(row) };
}

const answererOf = (row: RequestRow | null): Pick<Found, 'provider' | 'model' | 'decision'> => ({
  provider: row?.provider ?? null,
  model: row?.model ?? null,
  decision: row && decisionOfRequest(row),
});

const notFound = ({ kind }: FeedbackSubject): Error =>
  invalidField(`${kind}_id`, 'not found', 'not_found');
