import type { ServerResponse } from 'node:http';
import { GatewayError } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import { contextOf, knownContext } from '../context.js';

/** The limits for reading one body. */
export interface BodyLimits {
  /** Whose bodies take turns with those of others. */
  readonly accountId: string;
  /** The largest body after decompression. */
  readonly maxBytes: number;
  /** How many objects, lists and texts a JSON body may have. */
  readonly maxValues: number;
  /**
   * Checks that a body of that many bytes would fit, before it arrives. Counts nothing: a mere
   * announcement must not take room from others.
   * @throws GatewayError as `hold`
   */
  readonly announce: (bytes: number) => void;
  /**
   * Counts bytes that have arrived as in progress until the request is over.
   * @throws GatewayError `too_many_requests` or `unavailable` if too many are in progress
   */
  readonly hold: (bytes: number) => void;
}

/** The refusal of a body that is larger than the limit. */
export const tooLarge = ({ maxBytes }: BodyLimits): GatewayError =>
  new GatewayError('payload_too_large', `the body is larger than ${maxBytes} bytes`);

/** Smaller bodies are not counted: the number of connections bounds them. */
const minHeldBytes = 16 * 1024;

/** The limits of a request's body. @param maxBytes a limit below `limits.maxBodyBytes` */
export function bodyLimits(
  parts: GatewayParts,
  res: ServerResponse,
  maxBytes = Infinity,
): BodyLimits {
  const { request } = contextOf(parts, res);
  const { limits } = request.snapshot;
  return {
    accountId: request.caller.accountId,
    maxBytes: Math.min(maxBytes, limits.maxBodyBytes),
    maxValues: limits.maxJsonValues,
    announce: (bytes) => {
      if (bytes > minHeldBytes) parts.state.bytes.check(request.caller.accountId, bytes, 0, limits);
    },
    hold: (bytes) => {
      const held = request.heldBytes;
      request.bodyBytes += bytes;
      if (request.bodyBytes <= minHeldBytes || res.closed) return;
      const more = request.bodyBytes - held;
      parts.state.bytes.check(request.caller.accountId, more, held, limits);
      countHeld(parts, request, res, more);
    },
  };
}

/**
 * Counts a copy of an answer that is kept in memory while it is sent, until the response is over,
 * within the same bounds as bodies.
 * @returns a function that counts further bytes; false: there is no room for them
 */
export function answerHold(
  parts: GatewayParts,
  request: GatewayRequest,
  res: ServerResponse,
): (bytes: number) => boolean {
  let kept = 0,
    counted = 0;
  return (bytes) => {
    kept += bytes;
    if (kept - counted <= minHeldBytes || res.closed) return true;
    const more = kept - counted;
    const { caller, snapshot } = request;
    if (!parts.state.bytes.hasRoom(caller.accountId, more, snapshot.limits)) return false;
    counted = kept;
    countHeld(parts, request, res, more);
    return true;
  };
}

/** Counts the bytes of an answer that waits for its client, even if there is no room for them. */
export function holdAnswer(res: ServerResponse, bytes: number): void {
  const context = knownContext(res);
  if (!context || res.closed) return;
  const { parts, request } = context;
  const { accountId } = request.caller;
  countHeld(parts, request, res, bytes);
  parts.state.unread.add(accountId, bytes);
  res.once('close', () => parts.state.unread.remove(accountId, bytes));
}

/**
 * Refuses a completion while the unread answers of its account, or of all accounts, exceed the
 * bounds of bytes in progress: its answer would wait too.
 * @throws GatewayError `too_many_requests` or `unavailable`
 */
export function refuseWhereUnread(
  { state }: GatewayParts,
  { caller, snapshot }: GatewayRequest,
): void {
  state.unread.check(caller.accountId, 0, 0, snapshot.limits);
}

function countHeld(
  { state }: GatewayParts,
  request: GatewayRequest,
  res: ServerResponse,
  more: number,
): void {
  const { accountId } = request.caller;
  state.bytes.add(accountId, more);
  if (request.heldBytes === 0)
    res.once('close', () => state.bytes.remove(accountId, request.heldBytes));
  request.heldBytes += more;
}
