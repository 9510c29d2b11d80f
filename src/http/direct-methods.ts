import { compileSchema, type Validator } from '../config/schema/compile-schema.js';
import { invalidField } from '../errors.js';
import type { CompletionCall } from '../pipeline/completion-call.js';
import { type DirectOptions, runStreamed, runWhole, selectDirectly } from '../pipeline/direct.js';
import type { CompletionEvent, CompletionResult } from '../pipeline/direct-writers.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { ReportablePlan } from '../pipeline/afterwards/report-call.js';
import { type ModelSelectRequest, selectionQuestionOf } from './surfaces/model-select.js';
import { openai, type RunRequest } from './surfaces/openai.js';

/** What `gateway.select` takes: the body of `POST /api/v1/model-select`. */
export type SelectRequest = ModelSelectRequest;

/** Requests of a host app's own code, checked by the same schemas as the HTTP routes. */
export interface DirectMethods {
  /**
   * Chooses a model without Express: the plan, best candidate first.
   * @throws GatewayError as `POST /api/v1/model-select` answers
   */
  select(request: SelectRequest, options?: DirectOptions): Promise<ReportablePlan>;
  /**
   * Completes a chat without Express, with the same retries, fallbacks, limits and logs.
   * @returns with `stream: true` an iterable of chunks and one `end`; otherwise the whole answer
   * @throws GatewayError as `POST /v1/chat/completions` answers; from the loop where the answer is
   * streamed
   */
  run(
    request: RunRequest & { stream: true },
    options?: DirectOptions,
  ): AsyncIterable<CompletionEvent>;
  run(
    request: RunRequest & { stream?: false | null },
    options?: DirectOptions,
  ): Promise<CompletionResult>;
  run(
    request: RunRequest,
    options?: DirectOptions,
  ): AsyncIterable<CompletionEvent> | Promise<CompletionResult>;
}

/** The methods of a gateway for requests of its host's own code. */
export function directMethods(parts: GatewayParts): DirectMethods {
  const selections = compileSchema<ModelSelectRequest>('model-select.request');
  const completions = compileSchema<RunRequest>('chat-completions.request');
  const run = (given: RunRequest, options: DirectOptions = {}) => {
    const body = openai.adapt(given) as RunRequest;
    const read = (): CompletionCall => {
      check(completions, body);
      // always streamed from the provider, which is how the time to the first token is measured
      return { ...openai.readCall(body), streamFromProvider: true };
    };
    return body.stream === true
      ? runStreamed(parts, read, options)
      : runWhole(parts, read, options);
  };
  return {
    run: run as DirectMethods['run'],
    select: async (body, options = {}) =>
      selectDirectly(
        parts,
        ({ names }) => {
          check(selections, body);
          return selectionQuestionOf(body, names, true);
        },
        options,
      ),
  };
}

/** @throws GatewayError `bad_request` that names the field */
function check<T>(schema: Validator<T>, body: unknown): void {
  const failure = schema.firstFailure(body);
  if (failure) throw invalidField(failure.field, failure.reason, 'bad_request');
}
