import { openChoice } from '../chooser/chooser.js';
import type { Plan } from '../chooser/plan.js';
import { keepDigest, keepText } from '../telemetry/requests/kept-content.js';
import { rememberChosen } from './continuation.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { planRequest, type PlanQuestion } from './plan-request.js';
import type { GatewayRequest } from './request.js';

/** A question for one model, whose decision is stored as a session. */
export interface SelectionQuestion extends Pick<
  PlanQuestion,
  'routing' | 'links' | 'candidates' | 'explain'
> {
  /** The request's field that names the candidates, for messages. */
  readonly field: string;
  /** Keep a salted hash of the content instead of the content, whatever the configuration says. */
  readonly hashContent: boolean;
}

/**
 * Chooses a model for a conversation, and stores the decision: its plan's id is the session that a
 * later request may continue.
 * @throws GatewayError `bad_request` when no candidate can serve, `not_found` for a link that is
 * not this account's, `unavailable` where the database cannot be asked
 */
export async function selectModel(
  parts: GatewayParts,
  request: GatewayRequest,
  question: SelectionQuestion,
): Promise<Plan> {
  request.asked = question.candidates[0] ?? null;
  request.prompt = question.routing.messages;
  const plan = await planRequest(parts, request, {
    routing: question.routing,
    links: question.links,
    candidates: question.candidates,
    explain: question.explain,
    isCalledHere: false,
    isSession: true,
    blame: { field: question.field, code: 'bad_request' },
  });
  rememberChosen(parts, request, plan.candidates[0]);
  storeDecision(parts, request, question);
  return plan;
}

/** Stores the decision, with a hash or the text of its content, as request and settings say. */
function storeDecision(
  parts: GatewayParts,
  request: GatewayRequest,
  { routing: { messages, tradeoff = null }, hashContent }: SelectionQuestion,
): void {
  const { record, snapshot } = request;
  if (!snapshot.requestLog.enabled) return;
  record.content = hashContent
    ? keepDigest(messages)
    : snapshot.requestLog.content
      ? keepText(messages)
      : null;
  const choice = openChoice(request);
  parts.state.requestLog.addDecision(request, {
    ...(choice ? { choice } : {}),
    previousId: record.previousSession,
    tradeoff,
    preferenceId: record.preferenceId,
  });
}
