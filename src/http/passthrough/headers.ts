import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewaySnapshot } from '../../pipeline/engine/snapshot.js';
import { isPassthroughHeader, sdkKeyHeaders } from '../../providers/passthrough-headers.js';
import { keyOf } from '../authenticate.js';
import { nameSet, namesIn } from '../../text/is-object.js';

/** Request headers that are always forwarded, because they describe the content. */
const contentHeaders = nameSet(`
  accept content-type content-length content-encoding transfer-encoding accept-language range
  content-range
`);
const isKeyHeader = (name: string): boolean =>
  name === 'authorization' || sdkKeyHeaders.includes(name);
/** The gateway's API key, wherever a provider's SDK puts a key: in headers, or in `?key=`. */
export function proxyKey(headers: IncomingHttpHeaders, url: string): string | null {
  const sent = keyOf(headers);
  if (sent !== null) return sent;
  const query = url.indexOf('?');
  return query === -1 ? null : new URLSearchParams(url.slice(query)).get('key');
}

/**
 * The headers of a client's request that go to the provider. Accounts share the provider's key, so
 * an `Idempotency-Key` gets a hash of the account as its prefix: no account gets the answer to
 * another account's request by guessing its key.
 */
export function forwardedHeaders(
  headers: IncomingHttpHeaders,
  { proxy, keysRequired }: GatewaySnapshot,
  accountId: string,
): Record<string, string> {
  // if keys are required, a key header of the request holds the gateway's own key
  const forwarded = proxy.forwardHeaders.filter((name) => !keysRequired || !isKeyHeader(name));
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (
      typeof value === 'string' &&
      (contentHeaders.has(name) || isPassthroughHeader(name) || forwarded.includes(name))
    )
      chosen[name] = /^(x-)?idempotency-key$/.test(name)
        ? `${hash('sha256', accountId).slice(0, 16)}-${value}`
        : value;
  }
  return chosen;
}

/**
 * The client's headers that belong to its dialect, without an `Idempotency-Key`: the gateway itself
 * retries requests.
 */
export function dialectHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value === 'string' && isPassthroughHeader(name) && name !== 'idempotency-key')
      found[name] = value;
  }
  return found;
}

/** Headers in which agents and SDKs name a session (seen 2026-11-25), by precedence. */
const sessionHeaders = namesIn(`
  x-claude-code-session-id x-session-affinity x-opencode-session x-grok-conv-id session-id
  session_id x-session-id thread-id conversation_id
`);

/** The client's name for its session, whose prompts share their beginnings; null: none. */
export function sessionOf(headers: IncomingHttpHeaders): string | null {
  for (const name of sessionHeaders) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** The host's parser has decoded the body, so its encodings no longer apply. */
export const withoutCodings = ({
  'transfer-encoding': _transfer,
  'content-encoding': _content,
  ...headers
}: Record<string, string>): Record<string, string> => headers;
