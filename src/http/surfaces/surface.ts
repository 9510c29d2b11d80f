import type { ServerResponse } from 'node:http';
import type { GatewayError } from '../../errors.js';
import type { CompletionCall, CompletionWriter } from '../../pipeline/completion-call.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import type { SurfaceLabel } from '../../surface-labels.js';
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
  writer(answered: AnsweredCall): CompletionWriter;
}

/** What an answer is written to, and for whom. */
export interface AnsweredCall {
  readonly res: ServerResponse;
  readonly request: GatewayRequest;
  readonly call: CompletionCall;
  /** Null: the answer is sent as one JSON body. */
  readonly stream: EventStream | null;
  /** Asks for memory to keep that many more bytes of the answer; false: there is no room. */
  readonly hold: (bytes: number) => boolean;
}
