import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { anonymous, type Caller } from '../accounts/caller.js';
import type { JoinedConversation } from '../conversations/keeper.js';
import type { Attempt } from '../dispatch/execute-plan.js';
import type { ErrorCode } from '../errors.js';
import type { KeptContent } from '../telemetry/requests/kept-content.js';
import type { Plan } from '../routing/plan.js';
import type { SignInRecord } from '../store/contracts/accounts.js';
import type { PlannedCall } from '../pipeline/plan-request.js';
import type { GatewaySnapshot } from '../pipeline/snapshot.js';
import type { Surface } from './surfaces/surface.js';

/** What is told of a request once it is over. Filled in by the stages that know. */
export interface RequestRecord {
  status: number | null;
  code: ErrorCode | null;
  provider: string | null;
  model: string | null;
  attempts: Attempt[];
  fallbacks: number;
  stream: boolean;
  ttftMs: number | null;
  promptTokens: number | null;
  completionTokens: number | null;
  costUsd: number | null;
  conversationId: string | null;
  /** The id under which the client knows the answer. */
  responseId: string | null;
  /** The session that the client says it continues. */
  previousSession: string | null;
  /** The preference that the client names. */
  preferenceId: string | null;
  /** Why the answer ended; null where there was none. */
  finishReason: string | null;
  /** What the configuration asks to keep of messages and answer. */
  content: KeptContent | null;
}

/** What the stages of one request share. */
export interface RequestContext {
  readonly requestId: string;
  /** Whether the request id was made here, so that no other request has it. */
  readonly isOwnId: boolean;
  /** `performance.now()` of the request's arrival. */
  readonly startedAt: number;
  caller: Caller | null;
  /** How the caller's browser has signed in; null for keys. */
  signIn: SignInRecord | null;
  /** Read once, so that a configuration that is swapped meanwhile does not touch this request. */
  runtime: GatewaySnapshot | null;
  surface: Surface | null;
  plan: Plan | null;
  /** A completion that has been planned, for the stage that carries it out. */
  planned: PlannedCall | null;
  /** Whether it has been taken from the key's requests a minute already. */
  isCounted: boolean;
  /** Of a native completion. */
  conversation: JoinedConversation | null;
  record: RequestRecord;
}

/** A property rather than a WeakMap: entries that live as long as a request make every young collection slower. */
const contextKey = Symbol('signalbox');

interface ContextCarrier extends ServerResponse {
  [contextKey]?: RequestContext;
}

const safeRequestId = /^[\w.:-]{1,128}$/;

function newContext(request: IncomingMessage | undefined): RequestContext {
  const given = request?.headers['x-request-id'];
  const isGiven = typeof given === 'string' && safeRequestId.test(given);
  return {
    requestId: isGiven ? given : randomUUID(),
    isOwnId: !isGiven,
    startedAt: performance.now(),
    caller: null,
    signIn: null,
    runtime: null,
    surface: null,
    plan: null,
    planned: null,
    isCounted: false,
    conversation: null,
    record: {
      status: null,
      code: null,
      provider: null,
      model: null,
      attempts: [],
      fallbacks: 0,
      stream: false,
      ttftMs: null,
      promptTokens: null,
      completionTokens: null,
      costUsd: null,
      conversationId: null,
      responseId: null,
      previousSession: null,
      preferenceId: null,
      finishReason: null,
      content: null,
    },
  };
}

/** The context of a response's request, made on first use. Takes the client's `X-Request-Id` where it is harmless. */
export function contextOf(res: ServerResponse): RequestContext {
  const carrier: ContextCarrier = res;
  let context = carrier[contextKey];
  if (!context) {
    context = newContext(res.req);
    carrier[contextKey] = context;
    if (!res.headersSent) res.setHeader('X-Request-Id', context.requestId);
  }
  return context;
}

/** Who asks, once `authenticate` has passed the request; before that, or where nobody has to, nobody in particular. */
export function callerOf(res: ServerResponse): Caller {
  return contextOf(res).caller ?? anonymous;
}

/** What a host's own handler reads after `gateway.selectModel`: the plan for this request. */
export function planOf(res: ServerResponse): Plan | undefined {
  return (res as ContextCarrier)[contextKey]?.plan ?? undefined;
}
