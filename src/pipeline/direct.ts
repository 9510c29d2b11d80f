import { newRowId } from '../row-id.js';
import type { Caller, HostCaller } from '../accounts/caller.js';
import { GatewayError } from '../errors.js';
import { recordFailure } from '../telemetry/observed-request.js';
import type { CompletionCall, CompletionWriter } from './completion-call.js';
import {
  CompletionEvents,
  type CompletionEvent,
  type CompletionResult,
  WholeCompletion,
} from './direct-writers.js';
import { finishRequest } from './afterwards/finish-request.js';
import { checkedHostCaller } from './engine/host-users.js';
import { countRequest } from './limits.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { type GatewayRequest, newRequest } from './request.js';
import { type ReportablePlan, reportablePlan } from './afterwards/report-call.js';
import { runCompletion } from './run-completion.js';
import { selectModel, type SelectionQuestion } from './select-model.js';
import type { GatewaySnapshot } from './engine/snapshot.js';

/** Who makes a call from a host's own code, and how it is cancelled. */
export interface DirectOptions {
  /** Default: the account `anonymous`, without limits. */
  readonly caller?: HostCaller;
  /** Cancels the upstream call; the call then fails with `client_closed`. */
  readonly signal?: AbortSignal;
}

/**
 * Chooses a model for a host's own code, with the same plan, log and session as `POST
 * /api/v1/model-select`.
 * @param read makes the question from the request, with the configuration in force
 * @throws GatewayError as `selectModel` and the caller's limits
 */
export async function selectDirectly(
  parts: GatewayParts,
  read: (snapshot: GatewaySnapshot) => SelectionQuestion,
  options: DirectOptions,
): Promise<ReportablePlan> {
  const request = beginRequest(parts, options, 'model_select');
  const plan = await reported(parts, request, async () => {
    const question = read(request.snapshot);
    await countRequest(parts, request);
    return selectModel(parts, request, question);
  });
  return reportablePlan(parts, request, plan, true);
}

/**
 * Completes a chat for a host's own code, with the same retries, fallbacks, limits and logs as over
 * HTTP.
 * @throws GatewayError as `planCompletion`, `reserveCompletion` and `completeChat`
 */
export async function runWhole(
  parts: GatewayParts,
  read: () => CompletionCall,
  options: DirectOptions,
): Promise<CompletionResult> {
  return completeWhole(parts, beginRequest(parts, options, 'direct'), read, options.signal);
}

/** As `runWhole`, for a caller that the gateway knows already. @throws GatewayError as it does */
export async function runAs(
  parts: GatewayParts,
  caller: Caller,
  call: CompletionCall,
  signal: AbortSignal,
): Promise<CompletionResult> {
  return completeWhole(parts, ownRequest(parts, 'direct', caller), () => call, signal);
}

async function completeWhole(
  parts: GatewayParts,
  request: GatewayRequest,
  read: () => CompletionCall,
  signal: AbortSignal | undefined,
): Promise<CompletionResult> {
  const writer = new WholeCompletion();
  await reported(parts, request, () => complete(parts, request, read(), writer, signal));
  return writer.result();
}

/**
 * As `runWhole`, but a stream of events. The call starts with the loop over them; leaving the loop
 * cancels it. A failure is thrown from the loop, after the last event that arrived.
 */
export function runStreamed(
  parts: GatewayParts,
  read: () => CompletionCall,
  options: DirectOptions,
): AsyncIterable<CompletionEvent> {
  return {
    [Symbol.asyncIterator]: () => {
      const request = beginRequest(parts, options, 'direct');
      const events = new CompletionEvents((reason) => request.cancellation.cancel(reason));
      void reported(parts, request, () =>
        complete(parts, request, read(), events, options.signal),
      ).then(
        () => events.close(),
        (error: unknown) => events.fail(error),
      );
      return events;
    },
  };
}

const beginRequest = (
  parts: GatewayParts,
  { caller }: DirectOptions,
  surface: 'direct' | 'model_select',
): GatewayRequest => ownRequest(parts, surface, caller && checkedHostCaller(caller));

const ownRequest = (
  parts: GatewayParts,
  surface: 'direct' | 'model_select',
  caller: Caller | undefined,
): GatewayRequest =>
  newRequest({
    id: newRowId(),
    isOwnId: true,
    snapshot: parts.current(),
    surface,
    ...(caller ? { caller } : {}),
  });

async function complete(
  parts: GatewayParts,
  request: GatewayRequest,
  call: CompletionCall,
  writer: CompletionWriter,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { cancellation } = request;
  const cancel = (): void => cancellation.cancel(cancelled());
  if (signal?.aborted) throw cancelled();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await runCompletion(parts, request, call, { writer: () => writer });
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

const cancelled = (): GatewayError => new GatewayError('client_closed', 'the caller cancelled');

/** Runs a request and reports it, however it ends. */
async function reported<T>(
  parts: GatewayParts,
  request: GatewayRequest,
  run: () => Promise<T>,
): Promise<T> {
  const { record } = request;
  parts.tracing?.begin(request, {}, null);
  try {
    const result = await (request.trace ? request.trace.run(run) : run());
    record.status = 200;
    return result;
  } catch (error) {
    const known =
      error instanceof GatewayError ? error : new GatewayError('internal', 'internal error');
    recordFailure(record, known);
    record.status = known.status;
    throw error;
  } finally {
    finishRequest(parts, request);
  }
}
