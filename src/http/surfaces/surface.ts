import type { ServerResponse } from 'node:http';
import type { ChatRequest, Usage } from '../../completion.js';
import type { AnsweredMessage } from '../../conversations/answered-message.js';
import type { AnswerWriter } from '../../dispatch/answer-writer.js';
import type { ErrorTraceEntry, GatewayError } from '../../errors.js';
import type { Costs } from '../../routing/cost.js';
import type { Candidate, RoutingRequest } from '../../routing/plan.js';
import type { EventStream } from '../event-stream.js';

/** The metric label of a surface: a closed set. */
export type SurfaceName =
  | 'model_select'
  | 'completions'
  | 'openai'
  | 'embeddings'
  | 'models'
  | 'proxy'
  | 'resources'
  | 'other';

/** How one kind of client is answered. */
export interface Surface {
  readonly name: SurfaceName;
  /** The code, and so the status, of a body that does not satisfy its schema. */
  readonly invalidCode: 'validation_failed' | 'bad_request';
  /** The one place where this surface's error body is made. */
  errorBody(error: GatewayError): object;
}

/** A completion's request, the same for every surface that completes. */
export interface CompletionCall {
  chat: ChatRequest;
  /** Labels `<provider>/<model>`; null: the configured candidates of `auto`. */
  models: readonly string[] | null;
  /** The request's field that names them, for messages. */
  modelsField: string;
  fallbackModels: readonly string[];
  order: 'ranked' | 'given' | null;
  routing: RoutingRequest;
  stream: boolean;
  /** Whether a provider is asked to stream even where the client is not streamed to. */
  streamFromProvider: boolean;
  maxRetries: number | null;
}

/** All that is known of an answer when it is whole. Times in ms. */
export interface FinishedAnswer {
  candidate: Candidate;
  finishReason: string | null;
  usage: Usage;
  costs: Costs;
  latencyMs: number;
  ttftMs: number;
  errorTrace: readonly ErrorTraceEntry[];
  /** False where the turn was to be kept and is not stored by now; null: nothing was to be kept. */
  stored: boolean | null;
}

/** An AnswerWriter that also knows how its surface ends an answer, well or badly. */
export interface SurfaceWriter extends AnswerWriter {
  /** The whole answer as a message, where the surface keeps one: asked for at most once, before `finish`. Null: it does not, or the answer was too long. */
  message(finishReason: string | null): AnsweredMessage | null;
  /** The answer is whole. */
  finish(answer: FinishedAnswer): void;
  /** The stream has begun and breaks off here. `usage` and `costs` as far as they are known. */
  breakOff(error: GatewayError, requestId: string, usage: Usage | null, costs: Costs | null): void;
}

/** A surface whose requests are completions. */
export interface CompletionSurface extends Surface {
  /** @throws GatewayError for what this surface cannot serve, before any model is called */
  readCall(body: unknown): CompletionCall;
  writer(
    res: ServerResponse,
    call: CompletionCall,
    body: unknown,
    stream: EventStream | null,
  ): SurfaceWriter;
}
