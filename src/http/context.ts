import { newRowId } from '../row-id.js';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isMoney } from '../accounts/caller-limits.js';
import { GatewayError } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { type GatewayRequest, newRequest } from '../pipeline/request.js';
import { type ReportablePlan, reportablePlan } from '../pipeline/afterwards/report-call.js';
import { sdkKeyHeaders } from '../providers/passthrough-headers.js';
import { prepareRequest } from './connections/plain-server.js';
import type { SignInRecord } from '../store/contracts/accounts.js';
import type { Surface } from './surfaces/surface.js';

/** What the stages of one HTTP request share in addition to the `GatewayRequest`. */
export interface HttpContext {
  readonly request: GatewayRequest;
  /** Null on a host's own route. */
  surface: Surface | null;
  /** The sign-in of the caller's browser; null for API keys. */
  signIn: SignInRecord | null;
  /** What `planOf` returns; null until it is asked for. */
  plan: ReportablePlan | null;
  readonly parts: GatewayParts;
}

/**
 * A property rather than a WeakMap, whose entries would slow down every young garbage collection.
 */
const contextKey = Symbol('signalbox');

interface ContextCarrier extends ServerResponse {
  [contextKey]?: HttpContext;
}

const safeRequestId = /^[\w.:-]{1,128}$/;

function requestIdOf(request: IncomingMessage | undefined): { id: string; isOwnId: boolean } {
  const given = request?.headers['x-request-id'];
  return typeof given === 'string' && safeRequestId.test(given) && !hasKey(given, request!.headers)
    ? { id: given, isOwnId: false }
    : { id: newRowId(), isOwnId: true };
}

/** Whether an id has the request's own API key, which neither logs nor answers may repeat. */
const hasKey = (id: string, headers: IncomingHttpHeaders): boolean =>
  [headers.authorization?.split(' ').at(-1), ...sdkKeyHeaders.map((name) => headers[name])].some(
    (key) => typeof key === 'string' && key !== '' && id.includes(key),
  );

/**
 * The context of a response's request. The first stage that calls this creates it with the current
 * configuration. The request id is the client's `X-Request-Id` if it is safe to log, else a new
 * UUID; the response carries it.
 */
export function contextOf(parts: GatewayParts, res: ServerResponse): HttpContext {
  const carrier: ContextCarrier = res;
  let context = carrier[contextKey];
  if (!context) {
    const snapshot = parts.current();
    const request = newRequest({ snapshot, ...requestIdOf(res.req) });
    context = { request, surface: null, signIn: null, plan: null, parts };
    carrier[contextKey] = context;
    if (!res.headersSent) res.setHeader('X-Request-Id', request.id);
    if (res.socket === null) closeWithConnection(res);
    // last: writing to objects whose prototype has changed takes several times as long
    prepareRequest(res, snapshot.trustedProxies);
  }
  return context;
}

/**
 * Closes a response that waits behind others of its connection when that closes, as Node does only
 * with the one that is being written (Node 20 to 24, 2026-11).
 */
function closeWithConnection(res: ServerResponse): void {
  // null: a host made the request itself, without a connection
  const { socket } = res.req as { readonly socket: Socket | null };
  const close = (): void => {
    if (res.socket !== null || res.closed) return;
    res.destroyed = true;
    Reflect.set(res, '_closed', true);
    res.emit('close');
  };
  // a client may send any number of requests at once
  socket?.setMaxListeners(0).once('close', close);
  res.once('close', () => socket?.off('close', close));
}

/** The context of a response, if a stage of the gateway has handled its request. */
export const knownContext = (res: ServerResponse): HttpContext | undefined =>
  (res as ContextCarrier)[contextKey];

/** The request that an earlier stage has started. @throws GatewayError `internal`: none has */
export function requestOf(res: ServerResponse): GatewayRequest {
  const context = knownContext(res);
  if (!context)
    throw new GatewayError('internal', 'no stage of the gateway has handled this request before');
  return context.request;
}

/**
 * What a host's own handler reads after `gateway.selectModel`: the plan for this request, best
 * candidate first.
 * @throws GatewayError `internal` if no such stage has run for this request
 */
export function planOf(res: ServerResponse): ReportablePlan {
  const context = knownContext(res);
  const plan = context?.request.plan;
  if (!context || !plan)
    throw new GatewayError(
      'internal',
      'planOf: this request has no plan; put gateway.selectModel before the handler that reads it',
    );
  const { parts, request, surface } = context;
  return (context.plan ??= reportablePlan(parts, request, plan, surface !== null));
}

/** The error with which the request of a client that disconnected is cancelled. */
export const clientLeft = (): GatewayError =>
  new GatewayError('client_closed', 'the client closed the connection');

/** Cancels the upstream call when the connection closes before the answer is written. */
export function cancelWhenClosed({ cancellation }: GatewayRequest, res: ServerResponse): void {
  res.once('close', () => {
    if (!res.writableFinished) cancellation.cancel(clientLeft());
  });
}

/**
 * Sends the caller's remaining rate limits in OpenAI's `x-ratelimit-…` headers, which do not exist
 * for budgets. Of the key's and the account's limit sends the one with less left. An unknown reset
 * counts as one minute, the whole window.
 */
export function sendRateLimits({ rateLimits }: GatewayRequest, res: ServerResponse): void {
  if (res.headersSent) return;
  for (const { measure, limit, used, resetMs } of rateLimits) {
    const remaining = Math.max(0, limit - used);
    const isTighter = rateLimits.every(
      (other) => other.measure !== measure || other.limit - other.used >= limit - used,
    );
    if (isMoney(measure) || !isTighter) continue;
    res.setHeader(`x-ratelimit-limit-${measure}`, limit);
    res.setHeader(`x-ratelimit-remaining-${measure}`, remaining);
    const reset = resetMs === null ? '1m0s' : `${Math.ceil(resetMs / 1000)}s`;
    res.setHeader(`x-ratelimit-reset-${measure}`, reset);
  }
}
