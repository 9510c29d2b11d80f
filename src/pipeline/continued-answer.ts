import type { ChatRequest } from '../completion.js';
import type { Candidate, RankedCandidate } from '../chooser/plan.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import { BrokenStream } from '../dispatch/attempt-log.js';
import { charactersPerToken } from '../dispatch/commit-gate.js';
import type { ChatOutcome } from '../dispatch/execute-plan.js';
import { anchorOf, shownText, TextSeam } from '../text/text-seam.js';
import type { CompletionWriter, PlannedCompletion } from './completion-call.js';
import { CompletionUses } from './completion-uses.js';
import { ContinuedWriter } from './continued-writer.js';
import type { ExecuteRound, GroundedInput } from './grounding/grounded-run.js';
import type { GatewayRequest } from './request.js';

/** How many continuations one answer may have: each costs the prompt again. */
const maxSeams = 8;

/**
 * Whether another call continues the answer if its stream breaks. Not for a search, whose calls
 * build on one another, nor for a required format, which a continuation could break.
 */
export function mayContinue(
  { snapshot }: GatewayRequest,
  { call, grounding }: PlannedCompletion,
): boolean {
  const { chat, original, onBrokenStream } = call;
  if ((onBrokenStream ?? snapshot.limits.onBrokenStream) === 'fail') return false;
  const isText = (chat.response_format?.type ?? 'text') === 'text' && (chat.n ?? 1) === 1;
  return call.stream && isText && grounding === null && !original?.needs;
}

/**
 * An answer that another call continues from the text so far where its stream broke. Events are not
 * forwarded in the provider's dialect: those of the next provider could not follow them.
 */
export class ContinuedAnswer {
  private readonly writer: ContinuedWriter;
  private readonly startedAt = performance.now();
  private candidates: readonly RankedCandidate[];
  private answeredTokens = 0;

  /** @param surface marks the seams for the client */
  constructor(
    private readonly input: Omit<GroundedInput, 'grounding' | 'tell'>,
    out: AnswerWriter,
    surface: CompletionWriter,
  ) {
    this.candidates = input.planned.plan.candidates;
    const begun = begunBy(input.planned.call.chat) ?? '';
    const seamAfter = (text: string, candidate: Candidate): TextSeam =>
      new TextSeam(begun + text, this.isPrefilled(candidate));
    this.writer = new ContinuedWriter(out, seamAfter, (seam) => {
      input.parts.metrics.continued(seam.code);
      surface.seam?.(seam);
    });
  }

  private readonly isPrefilled = ({ provider, model }: Candidate): boolean =>
    this.input.request.snapshot.providers.get(provider ?? '')?.adapter.prefill?.(model) ?? false;

  /** @param first executes the plan. @throws GatewayError, BrokenStream as `executePlan` */
  async run(first: (writer: AnswerWriter) => Promise<ChatOutcome>): Promise<ChatOutcome> {
    let answer = first(this.writer);
    let firstContentAt: number | null = null;
    for (let seams = 0; ; seams++) {
      try {
        const outcome = await answer;
        this.writer.end();
        return { ...outcome, firstContentAt: firstContentAt ?? outcome.firstContentAt };
      } catch (error) {
        if (!(error instanceof BrokenStream) || error.error.recovery === 'stop') throw error;
        if (seams === maxSeams || !this.writer.canGoOn) throw error;
        firstContentAt ??= error.firstContentAt;
        answer = this.input.execute(this.roundAfter(error));
      }
    }
  }

  /** Asks the following candidates, then those that failed before, and last the one that broke. */
  private roundAfter(broken: BrokenStream): Parameters<ExecuteRound>[0] {
    const { request, planned } = this.input;
    const { candidate: from, errorTrace } = broken;
    const text = this.writer.breakOff(from, broken.error.code);
    const chat = this.chatAfter(broken, text);
    const at = this.candidates.findIndex((each) => each === from);
    const last = this.candidates[at]!;
    const earlier = this.candidates.slice(0, at);
    const [next, ...others] = [...this.candidates.slice(at + 1), ...earlier, last];
    const plan = { ...planned.plan, candidates: [next, ...others] as const };
    this.candidates = plan.candidates;
    const whole = { ...planned, plan, call: { ...planned.call, chat: goingOn(chat, text, false) } };
    request.reservation?.continueWith(new CompletionUses(whole, request.snapshot, request.caller));
    const leftMs = plan.limits.totalTimeoutMs - (performance.now() - this.startedAt);
    return {
      plan: { ...plan, limits: { ...plan.limits, totalTimeoutMs: Math.max(1, leftMs) } },
      askOf: ({ candidate }) => ({
        chat: goingOn(chat, text, this.isPrefilled(candidate)),
        writer: this.writer,
      }),
      admit: request.reservation?.admit,
      errorTrace,
      continuesAt: text.length,
    };
  }

  /** Counts what the call has used, and takes it from the length that the client allows. */
  private chatAfter({ candidate, use }: BrokenStream, text: string): ChatRequest {
    const { planned, figures } = this.input;
    const usage = figures.usageOfFailed(use);
    if (usage) figures.add(candidate, usage);
    this.answeredTokens += usage?.completionTokens ?? 0;
    figures.addedPromptTokens = Math.ceil(text.length / charactersPerToken);
    const chat = { ...planned.call.chat };
    for (const limit of ['max_tokens', 'max_completion_tokens'] as const)
      if (typeof chat[limit] === 'number')
        chat[limit] = Math.max(1, chat[limit] - this.answeredTokens);
    return chat;
  }
}

/** Models drop leading white space, so they are asked to repeat the last words before it. */
const goOn =
  'Go on with your last message exactly where it ends, also in the middle of a word, of a line or of a block of code. Do not mention this request. Begin with the last characters of that message again, and repeat nothing else of it. They are:';

/** The request for the rest of an answer: ends with its beginning, and an instruction if needed. */
function goingOn(chat: ChatRequest, text: string, isPrefilled: boolean): ChatRequest {
  const messages = [...chat.messages];
  const begun = begunBy(chat);
  if (begun !== null) messages.pop();
  const content = shownText((begun ?? '') + text);
  messages.push({ role: 'assistant', content });
  if (!isPrefilled) messages.push({ role: 'user', content: `${goOn}\n${anchorOf(content)}` });
  return { ...chat, messages };
}

/** The beginning of the answer that the client has sent; null: none. */
function begunBy({ messages }: ChatRequest): string | null {
  const last = messages.at(-1);
  const isBegun = last?.role === 'assistant' && !last.tool_calls;
  return isBegun && typeof last.content === 'string' ? last.content : null;
}
