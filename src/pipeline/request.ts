import { anonymous, type Caller } from '../accounts/caller.js';
import type { LimitStatus } from '../accounts/caller-limits.js';
import type { JoinedConversation } from '../conversations/keeper.js';
import type { ResponseTurn } from '../conversations/response-keeper.js';
import { Cancellation } from '../dispatch/cancellation.js';
import { type ErrorTraceEntry, GatewayError } from '../errors.js';
import type { Candidate } from '../chooser/plan.js';
import type { SurfaceLabel } from '../surface-labels.js';
import { newRequestRecord, type ObservedRequest } from '../telemetry/observed-request.js';
import type { CompletionCall, PlannedCompletion } from './completion-call.js';
import type { RecordedAnswer } from './resume/recorded-answer.js';
import type { PlannedGrounding } from './grounding/grounding-call.js';
import type { RequestReservation } from './request-reservation.js';
import type { SharedReservation } from './shared-reservation.js';
import type { GatewaySnapshot } from './engine/snapshot.js';

/**
 * One request in flight, made by an HTTP client, a host's handler, or a host's own code.
 * It is complete before the first stage runs; later stages only replace `caller` (after
 * authentication) and fill in what they decide.
 */
export interface GatewayRequest extends ObservedRequest {
  /** Who asks. `unauthenticated` until a stage has identified the caller. */
  caller: Caller;
  /** The configuration in force when the request arrived; a reload does not change it. */
  readonly snapshot: GatewaySnapshot;
  /** Ends the upstream call when the client leaves. */
  readonly cancellation: Cancellation;
  /** What is left of the caller's rate limits, once they were checked; empty: no limit applies. */
  rateLimits: readonly RateLimitState[];
  /** Whether the request has been counted against the caller's requests a minute. */
  isCounted: boolean;
  /** What it has reserved for its attempts; null: no limit applies, or none was checked yet. */
  reservation: RequestReservation | null;
  /** What it has reserved for all of its calls together; null: each reserves for itself. */
  sharedReservation: SharedReservation | null;
  /** The conversation that a native completion belongs to. */
  conversation: JoinedConversation | null;
  /** The turn of a request of the Responses dialect. */
  responseTurn: ResponseTurn | null;
  /** Records its answer, so that it can be read again; null: it is not recorded. */
  recording: RecordedAnswer | null;
  /** The client's name for its prompt cache or its session; null: none. */
  promptCacheKey: string | null;
  /** The id by which the client may refer to this request's decision; null: no session was made. */
  sessionId: string | null;
  /** Bytes of the body that have been read, after decompression; 0 if a host's parser read it. */
  bodyBytes: number;
  /** How many of those bytes are counted as in progress. */
  heldBytes: number;
  /** A planned completion's call; its limits may have bounded it. */
  call: CompletionCall | null;
  /** What a planned completion may use beside its model; null: nothing. */
  grounding: PlannedGrounding | null;
  /** The first model that the request names; null if it names none. */
  asked: Candidate | null;
  /** What stored error texts must not repeat: messages, input, or a path. */
  prompt: unknown;
  /** Warnings for the client, where the surface can show them; stages add to them. */
  warnings: FieldWarning[];
  /** Candidates that could not be used, as the first entries of the error trace. */
  passedOver: readonly ErrorTraceEntry[];
}

/** A field of the request that did not do what the client may expect. */
export interface FieldWarning {
  readonly field: string;
  readonly message: string;
}

/** A limit as the client sees it. `resetMs`: when to repeat a refused request; null: granted. */
export interface RateLimitState extends LimitStatus {
  readonly resetMs: number | null;
}

/**
 * The caller of a request that no stage has identified: the gateway's own routes refuse it, and a
 * host that lets its own visitors in runs their requests under the account `anonymous`.
 */
const unauthenticated: Caller = { ...anonymous };

/** What a new request is made of; without `startedAt`, it arrives now. */
export interface RequestStart
  extends
    Pick<GatewayRequest, 'id' | 'isOwnId' | 'snapshot'>,
    Partial<Pick<GatewayRequest, 'caller' | 'startedAt'>> {
  readonly surface?: SurfaceLabel;
}

/** A request that has just arrived. */
export function newRequest({
  id,
  isOwnId,
  snapshot,
  caller = unauthenticated,
  surface,
  startedAt = performance.now(),
}: RequestStart): GatewayRequest {
  return {
    id,
    isOwnId,
    startedAt,
    caller,
    isIdentified: caller !== unauthenticated,
    snapshot,
    isLogged: snapshot.requestLog.enabled,
    surface: surface ?? null,
    plan: null,
    cancellation: new Cancellation(),
    rateLimits: [],
    isCounted: false,
    reservation: null,
    sharedReservation: null,
    conversation: null,
    responseTurn: null,
    recording: null,
    promptCacheKey: null,
    sessionId: null,
    bodyBytes: 0,
    heldBytes: 0,
    call: null,
    grounding: null,
    asked: null,
    prompt: null,
    warnings: [],
    passedOver: [],
    trace: null,
    record: newRequestRecord(),
  };
}

/** Names the caller, once a stage has found out who it is. */
export function identify(request: GatewayRequest, caller: Caller): void {
  request.caller = caller;
  request.isIdentified = true;
}

/** The completion that has been planned. @throws GatewayError `internal` if none has */
export function plannedOf(request: GatewayRequest): PlannedCompletion {
  const { call, plan, passedOver, grounding } = request;
  if (!call || !plan) throw new GatewayError('internal', 'no completion was planned');
  return { call, plan, passedOver, grounding };
}
