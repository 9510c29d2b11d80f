import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { GatewayError } from '../errors.js';
import { contextOf } from './context.js';
import type { Parts } from './parts.js';
import { stage } from './stage.js';

const anonymous = { name: 'anonymous', models: null };
const bearer = /^bearer +(\S+) *$/i;

/** The key of `Authorization: Bearer …`, or null. */
export function bearerKey(headers: IncomingHttpHeaders): string | null {
  return bearer.exec(headers.authorization ?? '')?.[1] ?? null;
}

export interface AuthenticateOptions {
  /** Where the key stands; absent: in `Authorization`. */
  readKey?: (headers: IncomingHttpHeaders, url: string) => string | null;
  /** A key is needed even where the configuration asks for none. */
  always?: boolean;
}

/** Lets only known keys pass, before anybody looks at the body, and tells the context whose it is. */
export function authenticate(parts: Parts, { readKey = bearerKey, always = false }: AuthenticateOptions = {}): RequestHandler {
  return stage((req, res) => {
    const context = contextOf(res);
    const runtime = (context.runtime ??= parts.current());
    const key = readKey(req.headers, req.url);
    const owner = key === null ? null : runtime.keys.find(key);
    if (!owner && (runtime.keysRequired || always)) {
      throw new GatewayError('unauthorized', key === null ? 'authorization: an API key is required, as "Authorization: Bearer sk_…"' : 'authorization: this API key is not valid');
    }
    context.account = owner ?? anonymous;
  });
}
