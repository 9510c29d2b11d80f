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

/**
 * Validates and runs the requests of a host app's own code, by the same schemas as the HTTP routes.
 */
export class DirectGateway {
  private readonly selections = compileSchema<ModelSelectRequest>('model-select.request');
  private readonly completions = compileSchema<RunRequest>('chat-completions.request');

  constructor(private readonly parts: GatewayParts) {}

  async select(body: SelectRequest, options: DirectOptions = {}): Promise<ReportablePlan> {
    return selectDirectly(
      this.parts,
      ({ names }) => {
        check(this.selections, body);
        return selectionQuestionOf(body, names, true);
      },
      options,
    );
  }

  run(
    body: RunRequest,
    options: DirectOptions = {},
  ): AsyncIterable<CompletionEvent> | Promise<CompletionResult> {
    const read = (): CompletionCall => {
      check(this.completions, body);
      const call = openai.readCall(body);
      // always streamed from the provider, which is how the time to the first token is measured
      return { ...call, streamFromProvider: true };
    };
    return body.stream === true
      ? runStreamed(this.parts, read, options)
      : runWhole(this.parts, read, options);
  }
}

/** @throws GatewayError `bad_request` that names the field */
function check<T>(schema: Validator<T>, body: unknown): void {
  const failure = schema.firstFailure(body);
  if (failure) throw invalidField(failure.field, failure.reason, 'bad_request');
}
