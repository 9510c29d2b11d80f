import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { anonymous, type Caller } from '../accounts/caller.js';
import { hashKey } from '../accounts/static-keys.js';
import { GatewayError } from '../errors.js';
import type { Scope } from '../store/contracts/keys.js';
import { identify } from '../pipeline/request.js';
import { contextOf } from './context.js';
import { checkKeyless } from './keyless.js';
import type { Parts } from '../pipeline/parts.js';
import type { GatewaySnapshot } from '../pipeline/snapshot.js';
import { stage } from './stage.js';

const bearer = /^bearer +(\S+) *$/i;

/** The key of `Authorization: Bearer …`, or null. */
export function bearerKey(headers: IncomingHttpHeaders): string | null {
  return bearer.exec(headers.authorization ?? '')?.[1] ?? null;
}

/**
 * The API key of a request: `Authorization: Bearer …`, else `x-api-key` or `api-key`, in which SDKs
 * of other dialects send theirs.
 */
export function keyOf(headers: IncomingHttpHeaders): string | null {
  const bearer = bearerKey(headers);
  if (bearer !== null) return bearer;
  const other = headers['x-api-key'] ?? headers['api-key'];
  return typeof other === 'string' && other !== '' ? other : null;
}

/** How `authenticate` finds and checks the API key. */
export interface AuthenticateOptions {
  /** The scope that the key needs. Default: none. */
  scope?: Scope;
  /** Reads the key from the request. Default: `keyOf`. */
  readKey?: (headers: IncomingHttpHeaders, url: string) => string | null;
  /** Requires a key even if the configuration does not. */
  always?: boolean;
}

/**
 * Accepts requests with a valid API key before the body is read, and sets the request's caller.
 * Keys that this process has seen lately are not looked up in the database again.
 */
export function authenticate(
  parts: Parts,
  { scope, readKey = keyOf, always = false }: AuthenticateOptions = {},
): RequestHandler {
  return stage(async (req, res) => {
    const { request } = contextOf(parts, res);
    const key = readKey(req.headers, req.url);
    const caller = key === null ? null : await findCaller(parts, request.snapshot, key);
    if (!caller) checkKeyless(req, request.snapshot);
    if (!caller && (request.snapshot.keysRequired || always)) throw unauthorized(key);
    if (caller && scope) checkScope(caller, scope);
    identify(request, caller ?? anonymous);
  });
}

/**
 * The caller of an API key, null if the key is unknown.
 * @throws GatewayError `unavailable` if the database cannot be reached
 */
export async function findCaller(
  { state }: Parts,
  snapshot: GatewaySnapshot,
  key: string,
): Promise<Caller | null> {
  const keyHash = hashKey(key);
  return snapshot.keys.find(keyHash) ?? state.keys.find(keyHash);
}

/** @throws GatewayError `forbidden` if the caller's key lacks the scope */
export function checkScope({ scopes }: Caller, scope: Scope): void {
  if (!scopes.includes(scope))
    throw new GatewayError('forbidden', `authorization: this API key lacks the scope \`${scope}\``);
}

const unauthorized = (key: string | null): GatewayError =>
  new GatewayError(
    'unauthorized',
    key === null
      ? 'authorization: an API key is required, as "Authorization: Bearer sk_…"'
      : 'authorization: this API key is not valid',
  );
