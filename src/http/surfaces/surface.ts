import type { ServerResponse } from 'node:http';
import type { GatewayError } from '../../errors.js';
import type { CompletionCall, CompletionWriter } from '../../pipeline/completion-call.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import type { SurfaceName } from '../../telemetry/observed-request.js';
import type { EventStream } from '../event-stream.js';

/** How one kind of client is answered. */
export interface Surface {
  readonly name: SurfaceName;
  /** The error code, and so the status, of a body that does not satisfy its schema. */
  readonly invalidCode: 'validation_failed' | 'bad_request';
  /** The one place where this surface's error body is made. */
  errorBody(error: GatewayError): object;
}

/** A surface whose requests are completions. */
export interface CompletionSurface extends Surface {
  /** @throws GatewayError for what this surface cannot serve, before any model is called */
  readCall(body: unknown): CompletionCall;
  /** @param stream null: the answer is sent as one JSON body */
  writer(
    res: ServerResponse,
    request: GatewayRequest,
    call: CompletionCall,
    stream: EventStream | null,
  ): CompletionWriter;
}
