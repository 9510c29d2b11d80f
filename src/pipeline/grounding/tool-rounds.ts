import {
  type ChatMessage,
  type ChatRequest,
  type CompletionMessage,
  functionName,
  pausedTurn,
  searchDetailType,
  type ToolCall,
} from '../../completion.js';
import type { AnswerWriter } from '../../dispatch/answer-writer.js';
import type { ChatOutcome } from '../../dispatch/execute-plan.js';
import type { ErrorTraceEntry } from '../../errors.js';
import type { GatewayTool } from '../../grounding/tools/gateway-tool.js';
import type { Candidate } from '../../chooser/plan.js';
import type { FinishedAnswer } from '../completion-call.js';
import type { AnswerGrounding } from './grounding-call.js';
import type { GroundedInput, GroundedRun } from './grounded-run.js';
import { HeldAnswer } from './held-answer.js';
import { JoinedAnswer, RoundWriter } from './joined-answer.js';
import { GroundingSession } from './grounding-session.js';
import { runToolCalls } from './run-tool-calls.js';

/**
 * A completion in rounds: the model is called, the tools that it calls are run, and it is called
 * again with their results, until it answers. A tool call is never repeated: a candidate that takes
 * over receives the results.
 */
export class ToolRounds implements GroundedRun {
  private readonly session: GroundingSession;
  private readonly answer: JoinedAnswer;
  private readonly startedAt = performance.now();
  private readonly history = new RoundHistory();
  private clientCalls: readonly ToolCall[] = [];
  /** The reasoning details of the turn so far, which may have been paused. */
  private reasoningDetails: unknown[] = [];
  private errorTrace: readonly ErrorTraceEntry[];
  private candidates: readonly Candidate[];

  constructor(
    private readonly input: GroundedInput,
    private readonly out: AnswerWriter,
  ) {
    const { planned } = input;
    this.session = new GroundingSession(input);
    this.answer = new JoinedAnswer(out);
    this.errorTrace = planned.passedOver;
    this.candidates = planned.plan.candidates;
  }

  async run(): Promise<ChatOutcome> {
    const { figures, grounding } = this.input;
    try {
      await this.session.begin();
      for (let step = 0; ; step++) {
        const isLast = step >= grounding.terms.maxToolSteps;
        const { outcome, calls, message, isDropped } = await this.round(isLast);
        if (isDropped) {
          figures.add(outcome.candidate, figures.usageOf(outcome.candidate, outcome));
          this.input.request.reservation?.release();
          this.session.searchesFirst = true;
          continue;
        }
        if (!isLast && calls.length === 0 && outcome.finishReason === pausedTurn) {
          figures.add(outcome.candidate, figures.usageOf(outcome.candidate, outcome));
          this.history.pause(message, outcome.candidate);
          continue;
        }
        const own = isLast ? [] : calls.filter((call) => this.isOwn(call));
        if (own.length === 0) return this.ended(outcome, isLast, calls);
        const others = calls.filter((call) => !own.includes(call));
        if (others.length > 0) {
          this.session.keepBeside(calls, await this.runTools(own), others);
          return this.ended(outcome, false, others);
        }
        // charged before the tools run, because they may fail
        figures.add(outcome.candidate, figures.usageOf(outcome.candidate, outcome));
        this.input.request.reservation?.release();
        const results = await this.runTools(own);
        this.history.add(message, ...results);
        this.reasoningDetails = [];
        this.answer.breakHere();
      }
    } finally {
      this.session.close();
      this.input.request.record.grounding = this.session.events.record();
    }
  }

  end(answer: FinishedAnswer): AnswerGrounding {
    const grounding = this.session.grounding();
    this.answer.end(
      {
        toolCalls: this.clientCalls,
        annotations: this.session.annotations(grounding),
        reasoningDetails: this.detailsToReturn(),
      },
      answer,
    );
    this.session.events.tellNatives();
    return grounding;
  }

  private async round(isLast: boolean): Promise<Round> {
    const { planned, execute } = this.input;
    const { limits } = planned.plan;
    const writer = new RoundWriter(this.out, this.answer, (candidate) =>
      this.session.filterFor(candidate),
    );
    const held = new HeldAnswer(writer);
    const isHeld = (candidate: Candidate): boolean =>
      this.history.isEmpty && this.session.hasToSearch(candidate);
    const chats = new Map<Candidate, ChatRequest>();
    const outcome = await execute({
      onFailed: () => writer.drop(),
      plan: {
        candidates: this.candidates,
        limits: { ...limits, totalTimeoutMs: this.leftMs(limits.totalTimeoutMs) },
      },
      admit: async (candidate) => {
        const { chat, admitted } = await this.session.prepare(
          candidate,
          this.history.of(candidate),
          isLast,
        );
        chats.set(candidate, chat);
        await admitted;
      },
      askOf: ({ candidate }) => ({
        chat: chats.get(candidate) ?? planned.call.chat,
        writer: isHeld(candidate) ? held : writer,
      }),
      errorTrace: this.errorTrace,
    });
    this.errorTrace = outcome.errorTrace;
    // a candidate that failed is not asked again
    this.candidates = this.candidates.slice(this.candidates.indexOf(outcome.candidate));
    if (isHeld(outcome.candidate)) {
      if (!held.hasSearched)
        return { outcome, calls: [], message: { role: 'assistant' }, isDropped: true };
      held.release();
    }
    const { message, startedAt } = await writer.end(outcome.finishReason);
    await this.session.endRound(startedAt, outcome.usage?.webSearches);
    return { outcome, isDropped: false, ...this.turnOf(message) };
  }

  /** The model's turn as it is sent back to it, and its tool calls. */
  private turnOf(message: CompletionMessage): Pick<Round, 'calls' | 'message'> {
    const { content, tool_calls: calls = [], reasoning_content, reasoning_details } = message;
    this.reasoningDetails.push(...(reasoning_details ?? []));
    const named = calls.filter(Boolean).map(withId);
    return {
      calls: named,
      message: {
        role: 'assistant',
        content: content || null,
        ...(named.length > 0 ? { tool_calls: named } : {}),
        ...(reasoning_content ? { reasoning_content } : {}),
        ...(reasoning_details?.length ? { reasoning_details } : {}),
      },
    };
  }

  private async runTools(calls: readonly ToolCall[]): Promise<ChatMessage[]> {
    const { session } = this;
    const startedAt = performance.now();
    try {
      const leftMs = this.leftMs(this.input.planned.plan.limits.totalTimeoutMs);
      return await session.whileTools(leftMs, (signal) =>
        runToolCalls(calls, session.toolRules(signal)),
      );
    } finally {
      session.events.busy(performance.now() - startedAt);
    }
  }

  /** Whether the gateway runs a call. An unknown tool is the client's, if the client has tools. */
  private isOwn(call: ToolCall): boolean {
    const tool: GatewayTool | undefined = this.session.tools.get(functionName(call));
    if (tool) return tool.approval === 'none';
    const { clientTools } = this.input.grounding.terms;
    return clientTools.length === 0;
  }

  private ended(outcome: ChatOutcome, isLast: boolean, calls: readonly ToolCall[]): ChatOutcome {
    this.clientCalls = isLast ? calls.filter((call) => !this.isOwn(call)) : calls;
    if (isLast && !this.history.isEmpty) this.session.events.stoppedBy = 'steps';
    const finishReason =
      this.clientCalls.length > 0
        ? 'tool_calls'
        : outcome.finishReason === 'tool_calls' || outcome.finishReason === pausedTurn
          ? 'stop'
          : outcome.finishReason;
    const firstContentAt = this.answer.firstAt ?? outcome.firstContentAt;
    return { ...outcome, finishReason, firstContentAt };
  }

  /** Search results are returned only with calls of the client's tools, which continue the turn. */
  private detailsToReturn(): readonly unknown[] {
    const details = this.reasoningDetails;
    return this.clientCalls.length > 0
      ? details
      : details.filter(
          (detail) => (detail as { type?: unknown } | null)?.type !== searchDetailType,
        );
  }

  private leftMs(totalMs: number): number {
    return Math.max(1, totalMs - (performance.now() - this.startedAt));
  }
}

interface Round {
  readonly outcome: ChatOutcome;
  readonly calls: readonly ToolCall[];
  readonly message: ChatMessage;
  /** The model had to search, but answered at once: the answer is dropped. */
  readonly isDropped: boolean;
}

let unnamed = 0;

/** Some providers give calls no id. */
const withId = (call: ToolCall): ToolCall =>
  call.id === '' ? { ...call, id: `call_${Date.now().toString(36)}_${unnamed++}` } : call;

/** Asks a model to continue what another one began. */
const goOn: ChatMessage = { role: 'user', content: 'Go on.' };

/** Calls and results of the rounds before, and turns that a provider paused. */
class RoundHistory {
  private readonly entries: { message: ChatMessage; pausedBy: Candidate | null }[] = [];

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  add(...messages: readonly ChatMessage[]): void {
    for (const message of messages) this.entries.push({ message, pausedBy: null });
  }

  /** Adds a paused turn, which is sent back as it is so that the model continues it. */
  pause(message: ChatMessage, pausedBy: Candidate): void {
    this.entries.push({ message, pausedBy });
  }

  /** The history for a candidate: of a turn that another one paused, it gets only the text. */
  of(candidate: Candidate): ChatMessage[] {
    const messages = this.entries.flatMap(({ message, pausedBy }) => {
      if (pausedBy === null || pausedBy === candidate) return [message];
      return message.content ? [{ role: 'assistant', content: message.content }] : [];
    });
    const last = this.entries.at(-1);
    const isTakenOver = last?.pausedBy && last.pausedBy !== candidate && last.message.content;
    return isTakenOver ? [...messages, goOn] : messages;
  }
}
