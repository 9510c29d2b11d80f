import type { ServerResponse } from 'node:http';
import type { SharedDialect } from '../../completion.js';
import type { OriginalRequest } from '../../providers/adapter.js';
import type { Candidate } from '../../chooser/plan.js';
import type { Described } from '../../api/endpoint.js';
import type { Validator } from '../../config/schema/compile-schema.js';
import type { GatewayError } from '../../errors.js';
import type { CompletionCall, CompletionWriter } from '../../pipeline/completion-call.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { forwardingAdapter } from '../../pipeline/plan-request.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import type { SurfaceLabel } from '../../surface-labels.js';
import type { EventStream } from '../connections/event-stream.js';

/** One client dialect: its label and its errors. */
export interface Surface {
  readonly label: SurfaceLabel;
  /** The error code, and so the status, of a body that its schema refuses. */
  readonly invalidCode: 'validation_failed' | 'bad_request';
  /** The body of an error response. */
  errorBody(error: GatewayError, requestId: string): object;
  /** The status of an error response. Default: the error's own. */
  statusOf?(error: GatewayError): number;
  /** Whether a stream that fails ends with the line `[Error] <message>`. */
  readonly errorLine?: boolean;
  /** A header, beside `X-Request-Id`, in which the dialect's clients look for the request's id. */
  readonly requestIdHeader?: string;
}

/**
 * A dialect of completions, as one value: everything that is particular to it. `routes.ts` mounts
 * each one of `completionSurfaces` in the same way.
 */
export interface CompletionSurface extends Surface {
  /** The dialect, where providers speak it too. */
  readonly dialect?: SharedDialect;
  /** The router that has it, and so the listener that a configuration can give to it alone. */
  readonly router: 'completions' | 'openai';
  /** Where it stands, below the mount path; in lower case. */
  readonly path: string;
  /** Other paths that do the same, with the `operationId` of each. */
  readonly deprecatedPaths?: Readonly<Record<string, string>>;
  /** The schemas of bodies and answers: `schemas/<schema>.{request,response,chunk}.schema.json`. */
  readonly schema: string;
  readonly described: SurfaceDescription;
  /** Brings a body to the words of its schema, before it is checked. */
  adapt?(body: unknown): unknown;
  /** Checks a body. Default: as its schema says. */
  requests?(): Validator<unknown>;
  /** Whether its answers show `request.warnings`, and so name fields that it does not know. */
  readonly showsWarnings?: boolean;
  /**
   * Comes before planning. Returns the body with what it refers to in place; undefined: as it is.
   * @param res whose request the bounds of bodies count that for
   * @throws GatewayError for a body that refers to what does not exist
   */
  begin?(
    parts: GatewayParts,
    request: GatewayRequest,
    body: unknown,
    res: ServerResponse,
  ): Promise<unknown>;
  /**
   * Converts a valid body. The `chat` of the call is the canonical request; a dialect that providers
   * speak too adds the body itself, as `original`: see `runCompletion`.
   * @throws GatewayError for options that this dialect does not support
   */
  readCall(body: unknown, sent: SentAlong): CompletionCall;
  /**
   * The id under which the client can read a streamed answer again, once `begin` has run; null: it
   * cannot. Absent: no answer of this dialect can be.
   */
  streamId?(request: GatewayRequest): string | null;
  /** The id of a stream's first event. Default: 1. */
  readonly firstEventId?: number;
  /** Makes what the answer is written to. */
  writer(answered: AnsweredCall): CompletionWriter;
}

/** Whether a candidate's provider gets the client's own body, and so all that it says. */
export const getsOriginal = (
  { snapshot, grounding }: Pick<GatewayRequest, 'snapshot' | 'grounding'>,
  call: CompletionCall,
  dialect: SharedDialect,
  candidate: Pick<Candidate, 'provider' | 'model'>,
): boolean => grounding === null && forwardingAdapter(snapshot, call, dialect, candidate) !== null;

/**
 * Fields of the canonical request that a candidate's model does not take, or not their values.
 * @param ownNames what the client's dialect calls them, where that differs
 */
export function leftOut(
  { snapshot }: Pick<GatewayRequest, 'snapshot'>,
  { chat }: Pick<CompletionCall, 'chat'>,
  { provider, model, effort }: Pick<Candidate, 'provider' | 'model' | 'effort'>,
  ownNames: Readonly<Record<string, string>> = {},
): readonly string[] {
  const { adapter } = snapshot.providers.get(provider ?? '') ?? {};
  const request = { ...chat, reasoning_effort: chat.reasoning_effort ?? effort ?? null };
  const left = adapter?.leftOut?.(request, model) ?? [];
  return [...new Set(left.map((field) => ownNames[field] ?? field))];
}

/** What came with a body and may go to a provider of its dialect. */
export interface SentAlong extends Pick<OriginalRequest, 'headers'> {
  /** The parameters of the URL. */
  readonly query: Readonly<Record<string, unknown>>;
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
