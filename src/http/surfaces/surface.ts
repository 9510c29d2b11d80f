import type { ServerResponse } from 'node:http';
import type { GatewayError } from '../../errors.js';
import type { CompletionCall, CompletionWriter } from '../../pipeline/completion-call.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import type { SurfaceLabel } from '../../telemetry/observed-request.js';
import type { EventStream } from '../event-stream.js';

/** One client dialect: its name and its errors. */
export interface Surface {
  readonly name: SurfaceLabel;
  /** The error code, and so the status, of a body that its schema refuses. */
  readonly invalidCode: 'validation_failed' | 'bad_request';
  /** The body of an error response. */
  errorBody(error: GatewayError): object;
}

/** A dialect of completions. */
export interface CompletionSurface extends Surface {
  /** Converts a valid body. @throws GatewayError for options that this dialect does not support */
  readCall(body: unknown): CompletionCall;
  /** @param stream null if the answer is sent as one JSON body */
  writer(
    res: ServerResponse,
    request: GatewayRequest,
    call: CompletionCall,
    stream: EventStream | null,
  ): CompletionWriter;
}
