import type { ChatMessage, ChatRequest, Usage } from '../completion.js';
import type { AnsweredMessage } from '../conversations/answered-message.js';
import type { OriginalRequest } from '../providers/adapter.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import type { ErrorCode, ErrorTraceEntry, GatewayError } from '../errors.js';
import type { Costs } from '../models/cost.js';
import type { Blame } from '../chooser/make-plan.js';
import type { Candidate, Plan, RoutingRequest } from '../chooser/plan.js';
import type {
  AnswerGrounding,
  GroundingProgress,
  GroundingWish,
  PlannedGrounding,
} from './grounding/grounding-call.js';

/** The ids in a request that link it to earlier requests. */
export interface Links {
  readonly preference_id?: string | null;
  readonly previous_session?: string | null;
  /** As in the body: some surfaces have not checked its type. */
  readonly conversationId?: unknown;
}

/** A client's body that providers of its dialect get as it is. */
export interface ForwardedRequest extends OriginalRequest {
  /** What only they support, such as `the container of this request`; null: any can answer. */
  readonly needs: string | null;
}

/** Where another call continues an answer whose stream broke. */
export interface Seam {
  readonly from: Pick<Candidate, 'provider' | 'model'>;
  readonly to: Seam['from'];
  readonly code: ErrorCode;
  /** Characters of the answer before it, in UTF-16 units. */
  readonly at: number;
}

/** A completion's request, the same for every surface that completes. */
export interface CompletionCall {
  readonly chat: ChatRequest;
  /** The body in its own dialect, for providers that speak it. Absent: providers get `chat`. */
  readonly original?: ForwardedRequest;
  /** Labels `<provider>/<model>`; null: the configured candidates of `auto`. */
  readonly models: readonly string[] | null;
  /** The request's field that names the models, and that of the first model, for messages. */
  readonly modelsField: string;
  readonly modelField: string;
  readonly fallbackModels: readonly string[];
  /** Null: as configured. */
  readonly order: 'ranked' | 'given' | null;
  readonly routing: RoutingRequest;
  readonly links: Links;
  readonly stream: boolean;
  /** Whether a provider is asked to stream even where the client is not streamed to. */
  readonly streamFromProvider: boolean;
  readonly maxRetries: number | null;
  /** What to do with a stream that breaks after its first content. Null: as configured. */
  readonly onBrokenStream?: 'continue' | 'fail' | null;
  /** False: it is not hedged. Otherwise as configured. */
  readonly hedge?: boolean | null;
  /** False: the request asks that nothing of its content be kept. */
  readonly store: boolean;
  /** Whether the request log has a salted hash of the messages; then `store` is false. */
  readonly hashContent?: boolean;
  /** The messages as the client sent them, for its conversation. */
  readonly sentMessages: readonly ChatMessage[];
  /** The error code of an invalid field on the surface that the request came through. */
  readonly invalidCode: Blame['code'];
  /** What the request may use beside its model; null: nothing. */
  readonly grounding: GroundingWish | null;
  /** Whether a request that all providers refused gets the first one's status and code, not 422. */
  readonly keepsStatus: boolean;
  /** Whether the answer says why its model was chosen. Default: false. */
  readonly explain?: boolean;
}

/** A completion whose candidates are decided. */
export interface PlannedCompletion {
  readonly call: CompletionCall;
  readonly plan: Plan;
  /** Candidates that could not be used, as the first entries of the error trace. */
  readonly passedOver: readonly ErrorTraceEntry[];
  /** What it may use beside its model; null: nothing. */
  readonly grounding: PlannedGrounding | null;
}

/** Everything known of an answer when it is whole. Times in ms. */
export interface FinishedAnswer {
  readonly candidate: Candidate;
  readonly finishReason: string | null;
  readonly usage: Usage;
  readonly costs: Costs;
  latencyMs: number;
  readonly ttftMs: number;
  readonly errorTrace: readonly ErrorTraceEntry[];
  /**
   * True: the turn is stored. False: it is not confirmed as stored, but may be later. Null: nothing
   * was to be stored.
   */
  stored: boolean | null;
  /** Searches, tools and sources that it rests on; null: its model alone. */
  grounding: AnswerGrounding | null;
}

/** Why a stream broke after its first content, and its figures. */
export interface BrokenAnswer {
  readonly error: GatewayError;
  readonly requestId: string;
  /** As far as they are known. */
  readonly usage: Usage | null;
  readonly costs: Costs | null;
}

/** An AnswerWriter that also knows how its surface ends an answer, well or badly. */
export interface CompletionWriter extends AnswerWriter {
  /**
   * The whole answer as a message, where the surface stores conversations: asked for at most once,
   * before `finish`. Null: the answer was too long.
   */
  message?(finishReason: string | null): AnsweredMessage | null;
  /** What happens while tools run, where the surface shows it. */
  progress?(progress: GroundingProgress): void;
  /** Another call writes the text that follows, where the surface shows that. */
  seam?(seam: Seam): void;
  /** What the whole answer rests on: called at most once, before `message` and `finish`. */
  grounded?(grounding: AnswerGrounding): void;
  /** Stores the turn before `finish`. Result as `FinishedAnswer.stored`. Never rejects. */
  storeTurn?(answer: FinishedAnswer): Promise<boolean | null>;
  /** Whether `breakOff` writes a failure even into an answer that has not begun. */
  failsInside?(error: GatewayError): boolean;
  finish(answer: FinishedAnswer): void;
  /** Whether the answer has begun to reach the client: an error is then reported inside it. */
  readonly hasBegun: boolean;
  /** The answer breaks off here; called only where `hasBegun`, or it `failsInside`. */
  breakOff(broken: BrokenAnswer): void;
  /** Nothing was written and nothing will be: the error is answered in place of the answer. */
  discard?(): void;
}
