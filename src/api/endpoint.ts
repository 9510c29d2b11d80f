import type { Caller } from '../accounts/caller.js';
import type { ClaimContext } from '../accounts/claim.js';
import type { DoneAct } from '../accounts/write-act.js';
import type { CompletionCall } from '../pipeline/completion-call.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { GatewaySnapshot } from '../pipeline/engine/snapshot.js';
import type { SignInRecord } from '../store/contracts/accounts.js';
import type { Scope } from '../store/contracts/keys.js';
import type { StoredWishes } from '../store/contracts/trainings.js';
import type { FailureStatus } from './openapi/failures.js';
import type { Tag } from './openapi/tags.js';
import type { TakesParameters } from './parameters.js';

/** What an API key needs for an operation; `administrator`: the scope `admin` of such an account. */
export type Access = Scope | 'administrator';

/** What the API's document says of an operation. What is the same for all operations is added. */
export interface Described extends TakesParameters {
  /** The `operationId`: a verb and a noun. Clients name functions after it, so it never changes. */
  readonly id: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** More about it, in sentences. */
  readonly description?: string;
  /** The name of the schema of its JSON body. */
  readonly request?: string;
  /** A JSON body to copy. */
  readonly example?: object;
  /** Default: false. */
  readonly isBodyOptional?: boolean;
  /** Other content types that the body may have, with their schemas. `run` reads such a body. */
  readonly otherBodies?: Readonly<Record<string, object>>;
  /** The name of the schema of its response. Default: no content. */
  readonly response?: string;
  /** The whole response in case of success, instead of `response`. */
  readonly answer?: object;
  /** Default: 200, or 204 without content. */
  readonly status?: number;
  /** What a key needs. Default: any key will do. */
  readonly scope?: Access;
  /** Whether the operation works without a key. */
  readonly isPublic?: boolean;
  /** Statuses that only some operations have, with what they mean here. */
  readonly errors?: Partial<Record<FailureStatus, string>>;
  readonly isDeprecated?: boolean;
}

/** What an endpoint is beside its route and its id. */
interface Operation<Input extends Call, Answer> extends Omit<Described, 'id'> {
  /** Whether it exists only where people can sign in. */
  readonly needsWebAccounts?: boolean;
  /** Whether it is a write that does not count as a request of its caller. */
  readonly isUncounted?: boolean;
  /** A limit of the body below `limits.maxBodyBytes`. */
  readonly maxBodyBytes?: number;
  /**
   * @param call has been authenticated, and its body checked against the schema `request`
   * @returns the JSON of the answer, a file, or undefined without content
   * @throws GatewayError, which is answered
   */
  run(call: Input): Answer | Promise<Answer>;
}

/**
 * One operation of the API as one value. Its route, its checks, its entry in `/openapi.json`, the
 * `Allow` of its path and the methods for host apps follow from it.
 */
export interface Endpoint<Input extends Call = RequestCall<never>, Answer = unknown>
  extends Described, Operation<Input, Answer> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With parameters in braces, such as `/api/v1/keys/{id}`. */
  readonly path: string;
  readonly tag: Tag;
}

/** Makes endpoints of a tag and scope from route, id and all else, which may name another scope. */
export const endpointsOf =
  (group: Pick<Endpoint, 'tag' | 'scope'>) =>
  <Input extends Call, Answer>(
    method: Endpoint['method'],
    path: string,
    id: string,
    one: Operation<Input, Answer>,
  ): Endpoint<Input, Answer> => ({ ...group, ...one, method, path, id });

/** For bodies that hold no more than a few names, addresses and passwords. */
export const maxSmallBodyBytes = 16_384;

/** What an operation on a resource works with. */
export interface ApiContext {
  readonly parts: GatewayParts;
  /** Records an administrative act in the name of who does it. Never rejects. */
  record(done: DoneAct): Promise<void>;
}

/** A call of an endpoint: by HTTP, or by the code of a host app. */
export interface Call<Body = unknown> extends ApiContext {
  readonly caller: Caller;
  readonly snapshot: GatewaySnapshot;
  /** The parameters in the path. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Body;
  /** Whether the caller prefers CSV to JSON. */
  prefersCsv(): boolean;
}

/** A call by HTTP. */
export interface RequestCall<Body = unknown> extends Call<Body> {
  /** Where the request comes from. */
  readonly address: string;
  /** The API key in its headers, if any. */
  readonly key: string | null;
  /** The URL under which the request has reached the gateway, without the path of the endpoint. */
  readonly ownUrl: string;
  /** Whether callers need a key here. */
  readonly needsKey: boolean;
  readonly browser: Browser;
  /** What the functions of accounts work with. @throws GatewayError `unavailable` */
  accounts(): Promise<ClaimContext>;
  /** Reads a body with evaluations. @throws GatewayError as `readTrainingBody` */
  evaluations(): Promise<TrainingBody>;
  /** A call of a model, from a body in OpenAI's dialect. */
  completion(body: object): CompletionCall;
}

/** What is known of the caller's browser, and how its cookies are set. */
export interface Browser {
  /** The sign-in that has authenticated the call; null: it has a key, or needs none. */
  readonly signIn: SignInRecord | null;
  /** The cookie of a sign-in, valid or not. */
  readonly token: string | null;
  /** The cookie by which a browser is known that has signed in before. */
  readonly knownToken: string | null;
  /** Whether the browser, or the user of the host app, is signed in. */
  isSignedIn(): Promise<boolean>;
  /** Durations in ms. */
  setCookies(signIn: CookieTerms, known: CookieTerms): void;
  clearCookie(publicUrl: string | null): void;
}

/** A cookie to set. */
export interface CookieTerms {
  readonly token: string;
  readonly keepMs: number;
  readonly publicUrl: string | null;
}

/** Uploaded evaluations and the options sent with them. */
export interface TrainingBody {
  readonly text: string;
  readonly wishes: StoredWishes;
  /** Whether the account's evaluation set counts too. */
  readonly hasCollected: boolean;
  /** The form's other fields, or the query parameters. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An answer that is a file of any length, sent as fast as the client reads. */
export class FileAnswer {
  /** @param text a failure while it is read cuts the file off */
  constructor(
    readonly name: string,
    readonly contentType: string,
    readonly text: AsyncIterable<string>,
  ) {}
}
