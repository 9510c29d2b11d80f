import { createHash, randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { invalidField } from '../../errors.js';
import type { CompletionCall } from '../../pipeline/completion-call.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import {
  dayMs,
  type RecordedAnswer,
  type RecordingTerms,
} from '../../pipeline/resume/recorded-answer.js';
import { answerGone, answerLogOf } from '../../pipeline/resume/recorded-answers.js';
import { exactJson } from '../../text/exact-json.js';
import { EventStream } from '../connections/event-stream.js';
import { cancelWhenClosed, clientLeft } from '../context.js';
import type { CompletionSurface } from '../surfaces/surface.js';
import { followAnswer } from './follow-answer.js';
import { RecordedStream } from './recorded-stream.js';

/**
 * How long the call of a request with an `Idempotency-Key` continues after its client has left, in
 * ms: clients repeat such a request within seconds.
 */
const minGraceMs = 60_000;
const maxKeyLength = 255;

/** A completion that may be recorded. */
export interface Recordable {
  readonly surface: CompletionSurface;
  readonly request: GatewayRequest;
  readonly req: Request;
  readonly res: Response;
  /** The body as the client sent it. */
  readonly sent: unknown;
  readonly call: CompletionCall;
}

/** Whether a request has an `Idempotency-Key`, or its answer can be resumed. */
export const isRecorded = (
  { headers }: Request,
  { snapshot }: GatewayRequest,
  { stream }: CompletionCall,
): boolean => headers['idempotency-key'] !== undefined || (stream && snapshot.limits.resumeMs > 0);

/**
 * Begins to record the answer of a request. If its `Idempotency-Key` names an existing answer,
 * sends that one instead.
 * @returns true if the request was answered
 * @throws GatewayError `idempotency_key_reused`, `conflict`, or the surface's code for a key that is
 *   not valid
 */
export async function recordAnswer(parts: GatewayParts, asked: Recordable): Promise<boolean> {
  const { surface, request, req, call } = asked;
  const { resumeMs } = request.snapshot.limits;
  const { accountId } = request.caller;
  const id = surface.streamId?.(request) ?? null;
  const isNumbered = call.stream && id !== null && resumeMs > 0;
  const key = req.headers['idempotency-key'];
  const terms: RecordingTerms = {
    log: answerLogOf(accountId, id ?? randomUUID()),
    claim: null,
    isNumbered,
    graceMs: resumeMs,
    keepMs: resumeMs,
  };
  if (key === undefined) {
    if (isNumbered) request.recording = record(parts, request, terms);
    return false;
  }
  return claimAnswer(parts, asked, checked(String(key), surface), terms);
}

const record = (
  { state }: GatewayParts,
  { cancellation }: GatewayRequest,
  terms: RecordingTerms,
): RecordedAnswer => state.answers.record(terms, () => cancellation.cancel(clientLeft()));

async function claimAnswer(
  parts: GatewayParts,
  asked: Recordable,
  key: string,
  terms: RecordingTerms,
): Promise<boolean> {
  const { surface, request, res, sent, call } = asked;
  const { accountId } = request.caller;
  const graceMs = Math.max(minGraceMs, terms.graceMs);
  const fingerprint = createHash('sha256').update(surface.path).update(exactJson(sent));
  const wish = { fingerprint: fingerprint.digest('hex'), log: terms.log };
  const { pingMs, holdStatusMs: holdMs } = request.snapshot.limits;
  for (;;) {
    const claimed = await parts.state.answers.claim(accountId, key, wish);
    if ('note' in claimed) {
      const claim = { note: claimed.note, fingerprint: wish.fingerprint };
      const keepMs = call.store ? dayMs : graceMs;
      request.recording = record(parts, request, { ...terms, claim, graceMs, keepMs });
      return false;
    }
    res.setHeader('Idempotent-Replayed', 'true');
    const end = await followAnswer(parts, res, {
      ...{ log: claimed.log, after: 0, firstId: surface.firstEventId ?? 1, graceMs },
      ...{ isStream: call.stream, canMove: terms.isNumbered, pingMs, holdMs },
      ...{ surface, requestId: request.id },
    });
    if (end === 'answered') {
      parts.metrics.readAgain('repeated');
      return true;
    }
    res.removeHeader('Idempotent-Replayed');
    if (end === 'holed') throw answerGone();
    // else the first request failed, so that this one may run
  }
}

function checked(key: string, { invalidCode }: CompletionSurface): string {
  if (key.length >= 1 && key.length <= maxKeyLength && /^[\x20-\x7e]+$/.test(key)) return key;
  throw invalidField(
    'Idempotency-Key',
    `must be 1 to ${maxKeyLength} printable characters of ASCII`,
    invalidCode,
  );
}

/**
 * The event stream of an answer, recorded if the request is. Cancels the call when the client
 * leaves: at once, or for a recorded request after its grace period.
 */
export function openStream(
  parts: GatewayParts,
  surface: CompletionSurface,
  request: GatewayRequest,
  res: Response,
  isStreamed: boolean,
): EventStream | null {
  const { recording } = request;
  const { holdStatusMs: holdMs, pingMs } = request.snapshot.limits;
  if (!recording) {
    cancelWhenClosed(request, res);
    return isStreamed ? new EventStream(res, { holdMs, pingMs }) : null;
  }
  res.once('close', () => {
    // before the headers the client does not know the id with which it could resume
    if (res.headersSent || recording.terms.claim) recording.clientLeft();
    else if (recording.isRunning) recording.cancel();
  });
  if (!isStreamed) return null;
  const stream = new RecordedStream(res, { holdMs, pingMs }, recording, surface.firstEventId ?? 1);
  if (!recording.terms.isNumbered) return stream;
  const stay = parts.state.answers.onMove(() => {
    parts.metrics.readAgain('moved');
    stream.move();
  });
  res.once('close', stay);
  return stream;
}
