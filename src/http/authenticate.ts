import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { anonymous, type Caller } from '../accounts/caller.js';
import { hashKey } from '../accounts/static-keys.js';
import { GatewayError } from '../errors.js';
import type { Scope } from '../store/contracts/keys.js';
import { contextOf } from './context.js';
import type { Parts } from './parts.js';
import type { GatewaySnapshot } from '../pipeline/snapshot.js';
import { stage } from './stage.js';

const bearer = /^bearer +(\S+) *$/i;

/** The key of `Authorization: Bearer …`, or null. */
export function bearerKey(headers: IncomingHttpHeaders): string | null {
  return bearer.exec(headers.authorization ?? '')?.[1] ?? null;
}

export interface AuthenticateOptions {
  /** What the key has to be good for; absent: nothing in particular. */
  scope?: Scope;
  /** Where the key stands; absent: in `Authorization`. */
  readKey?: (headers: IncomingHttpHeaders, url: string) => string | null;
  /** A key is needed even where the configuration asks for none. */
  always?: boolean;
}

/** Lets only known keys pass, before anybody looks at the body, and tells the context whose it is. A key that has been used here before is known without asking the database. */
export function authenticate(
  parts: Parts,
  { scope, readKey = bearerKey, always = false }: AuthenticateOptions = {},
): RequestHandler {
  return stage((req, res) => {
    const context = contextOf(res);
    const runtime = (context.runtime ??= parts.current());
    const admit = (caller: Caller | null): void => {
      if (!caller && (runtime.keysRequired || always)) throw unauthorized(key);
      if (caller && scope) checkScope(caller, scope);
      context.caller = caller ?? anonymous;
    };
    const key = readKey(req.headers, req.url);
    if (key === null) {
      admit(null);
      return;
    }
    const caller = findCaller(parts, runtime, key);
    if (caller instanceof Promise) return caller.then(admit);
    admit(caller);
  });
}

/** Whose key it is, null for nobody's; a promise where it has to be looked up. @throws GatewayError `unavailable` */
export function findCaller(
  parts: Parts,
  runtime: GatewaySnapshot,
  key: string,
): Caller | null | Promise<Caller | null> {
  const keyHash = hashKey(key);
  return runtime.keys.find(keyHash) ?? parts.memory.keys.find(keyHash);
}

/** @throws GatewayError `forbidden` for a key that is not good for that */
export function checkScope({ scopes }: Caller, scope: Scope): void {
  if (!scopes.includes(scope))
    throw new GatewayError('forbidden', `authorization: this API key is not good for ${scope}`);
}

const unauthorized = (key: string | null): GatewayError =>
  new GatewayError(
    'unauthorized',
    key === null
      ? 'authorization: an API key is required, as "Authorization: Bearer sk_…"'
      : 'authorization: this API key is not valid',
  );
