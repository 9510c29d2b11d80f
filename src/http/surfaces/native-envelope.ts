import type { ServerResponse } from 'node:http';
import {
  type CompletionChunk,
  type CompletionMessage,
  type ToolCall,
  type UrlCitation,
  type Usage,
} from '../../completion.js';
import type { JoinedConversation } from '../../conversations/keeper.js';
import type { Costs } from '../../models/cost.js';
import type { Candidate } from '../../chooser/plan.js';
import type { CompletionCall, FinishedAnswer } from '../../pipeline/completion-call.js';
import type { AnswerGrounding } from '../../pipeline/grounding/grounding-call.js';
import { usageCounts } from '../../pipeline/keep-turn.js';
import { explainPlan, gateOf } from '../../chooser/explain-plan.js';
import type { FieldWarning, GatewayRequest } from '../../pipeline/request.js';
import { CollectedSources } from './collected-sources.js';
import { leftOut } from './surface.js';

/** An answer's calls of the client's tools, and the blocks of reasoning that go back with them. */
export interface AnsweredCalls {
  readonly toolCalls: readonly ToolCall[];
  readonly reasoningDetails: readonly unknown[];
}

/** The calls of a message. */
export const callsOf = (message: CompletionMessage | undefined): AnsweredCalls => ({
  toolCalls: message?.tool_calls ?? [],
  reasoningDetails: message?.tool_calls?.length ? (message.reasoning_details ?? []) : [],
});

/** What all native answers contain: ids, title, sources. Sets the id headers when created. */
export class NativeEnvelope {
  readonly responseMessageId: string;
  private readonly collected = new CollectedSources();
  private grounding: AnswerGrounding | null = null;
  /** Why the model was chosen; null: the request does not ask. */
  readonly decision: object | null = null;

  constructor(
    res: ServerResponse,
    private readonly conversation: JoinedConversation,
    private readonly request: Pick<GatewayRequest, 'plan' | 'warnings' | 'snapshot'>,
    private readonly call: Pick<CompletionCall, 'explain' | 'chat'>,
  ) {
    const { plan } = request;
    const { explain = false } = call;
    if (explain && plan)
      this.decision = { reason: plan.reason, ...gateOf(plan), candidates: explainPlan(plan) };
    this.responseMessageId = conversation.answerId;
    res.setHeader('conversationId', conversation.id);
    res.setHeader('responseMessageId', this.responseMessageId);
  }

  /** Forgets the sources of a failed attempt. */
  dropSources(): void {
    this.collected.clear();
  }

  /** Collects the sources that a chunk cites. */
  collectSources(chunk: CompletionChunk): void {
    this.collected.addChunk(chunk);
  }

  cite(annotations: readonly UrlCitation[] | null | undefined): void {
    for (const annotation of annotations ?? []) this.collected.cite(annotation);
  }

  /** The gateway itself knows what the answer rests on. */
  ground(grounding: AnswerGrounding): void {
    this.grounding = grounding;
  }

  message(text: string, reasoning: string, { toolCalls, reasoningDetails }: AnsweredCalls): object {
    const { sources, citations } = this.cited();
    return {
      role: 'assistant',
      type: 'text',
      content: [{ type: 'text', text }],
      ...(reasoning ? { reasoning } : {}),
      // a client of a grounded answer loops over both
      ...(this.grounding || sources.length > 0 ? { sources } : {}),
      ...(this.grounding || citations.length > 0 ? { citations } : {}),
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
      ...(reasoningDetails.length > 0 ? { reasoning_details: reasoningDetails } : {}),
    };
  }

  /** What the answer rests on, as far as it is known by now. */
  cited(): Pick<AnswerGrounding, 'sources' | 'citations'> {
    return this.grounding ?? this.collected.cited();
  }

  names({ provider, model }: Pick<Candidate, 'provider' | 'model'>) {
    return { provider: provider ?? '', model, responseMessageId: this.responseMessageId };
  }

  /** The fields of a complete answer. */
  closing(answer: FinishedAnswer): object {
    const { request, call } = this;
    const message = `was left out or changed, because ${answer.candidate.model} does not take it, or not this value`;
    const left = leftOut(request, call, answer.candidate).map((field) => ({ field, message }));
    const warnings: FieldWarning[] = [...request.warnings, ...left];
    return {
      finishReason: answer.finishReason,
      usage: nativeUsage(answer.usage, answer.costs),
      latency: answer.latencyMs,
      ttft: answer.ttftMs,
      conversationId: this.conversation.id,
      conversationTitle: this.conversation.title,
      ...(this.grounding ? { grounding: this.grounding.report } : {}),
      ...(this.decision ? { decision: this.decision } : {}),
      ...(answer.stored === false ? { conversationStored: false } : {}),
      ...(answer.errorTrace.length > 0 ? { errorTrace: answer.errorTrace } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  }
}

/** Usage with the native field names. */
export function nativeUsage(usage: Usage, costs: Costs): object {
  return Object.assign(usageCounts(usage), { costs });
}
