import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyOwner } from '../accounts/key-book.js';
import type { Attempt } from '../dispatch/carry-out.js';
import type { ErrorCode } from '../errors.js';
import type { Plan } from '../routing/plan.js';
import type { PlannedCall } from './plan-completion.js';
import type { Runtime } from './runtime.js';
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
}

/** What the stages of one request share. */
export interface RequestContext {
  readonly requestId: string;
  /** `performance.now()` of the request's arrival. */
  readonly startedAt: number;
  account: KeyOwner | null;
  /** Read once, so that a configuration that is swapped meanwhile does not touch this request. */
  runtime: Runtime | null;
  surface: Surface | null;
  plan: Plan | null;
  /** A completion that has been planned, for the stage that carries it out. */
  planned: PlannedCall | null;
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
  return {
    requestId: typeof given === 'string' && safeRequestId.test(given) ? given : randomUUID(),
    startedAt: performance.now(),
    account: null,
    runtime: null,
    surface: null,
    plan: null,
    planned: null,
    record: {
      status: null, code: null, provider: null, model: null, attempts: [], fallbacks: 0, stream: false, ttftMs: null,
      promptTokens: null, completionTokens: null, costUsd: null,
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

/** What a host's own handler reads after `gateway.selectModel`: the plan for this request. */
export function planOf(res: ServerResponse): Plan | undefined {
  return (res as ContextCarrier)[contextKey]?.plan ?? undefined;
}
