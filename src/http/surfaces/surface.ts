import type { ServerResponse } from 'node:http';
import type { Described } from '../../api/endpoint.js';
import type { Validator } from '../../config/schema/compile-schema.js';
import type { GatewayError } from '../../errors.js';
import type { CompletionCall, CompletionWriter } from '../../pipeline/completion-call.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import type { SurfaceLabel } from '../../surface-labels.js';
import type { EventStream } from '../connections/event-stream.js';

/** One client dialect: its label and its errors. */
export interface Surface {
  readonly label: SurfaceLabel;
  /** The error code, and so the status, of a body that its schema refuses. */
  readonly invalidCode: 'validation_failed' | 'bad_request';
  /** The body of an error response. */
  errorBody(error: GatewayError): object;
}

/**
 * A dialect of completions, as one value: everything that is particular to it. `routes.ts` mounts
 * each one of `completionSurfaces` in the same way.
 */
export interface CompletionSurface extends Surface {
  /** The router that has it, and so the listener that a configuration can give to it alone. */
  readonly router: 'completions' | 'openai';
  /** Where it stands, below the mount path; in lower case. */
  readonly path: string;
  /** Other paths that do the same, with the `operationId` of each. */
  readonly deprecatedPaths?: Readonly<Record<string, string>>;
  /**
   * The schemas of bodies and answers: `schemas/<schema>.{request,response,chunk}.schema.json`.
   */
  readonly schema: string;
  readonly described: SurfaceDescription;
  /** Checks a body. Default: as its schema says. */
  requests?(): Validator<unknown>;
  /** Whether its answers show `request.warnings`, and so name fields that it does not know. */
  readonly showsWarnings?: boolean;
  /** Comes before planning. @throws GatewayError for a body that refers to what does not exist */
  begin?(parts: GatewayParts, request: GatewayRequest, body: unknown): Promise<void>;
  /**
   * Converts a valid body. The `chat` of the call is the canonical request; a dialect that providers
   * speak too will add the body itself, as `original`: see `runCompletion`.
   * @throws GatewayError for options that this dialect does not support
   */
  readCall(body: unknown): CompletionCall;
  /** Makes what the answer is written to. */
  writer(answered: AnsweredCall): CompletionWriter;
}

/** What the description of the API says of a surface. */
type SurfaceDescription = Required<
  Pick<Described, 'id' | 'summary' | 'description' | 'example'>
> & {
  /** What the answer is. */
  readonly answer: string;
  /** What 404 means. */
  readonly notFound: string;
  /** The schema of its errors. Default: `error`. */
  readonly errorSchema?: string;
};

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
