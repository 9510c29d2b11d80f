import type { ProviderSettings, UpstreamRequest } from './adapter.js';
import { providerBody } from './json.js';

/** Of a call whose answer may be a body or a stream of events. */
export const acceptsEvents = { accept: 'application/json, text/event-stream' } as const;

/**
 * The headers that authenticate a call, with those of the settings.
 * @param apiKey null: the provider has none
 * @param keyHeader absent: `authorization`, as a bearer token
 */
export function authHeaders(
  apiKey: string | null,
  { headers }: Pick<ProviderSettings, 'headers'>,
  keyHeader?: string,
): Record<string, string> {
  if (apiKey === null) return { ...headers };
  return keyHeader === undefined
    ? { authorization: `Bearer ${apiKey}`, ...headers }
    : { [keyHeader]: apiKey, ...headers };
}

/** A call with a JSON body. @param auth as `authHeaders` */
export const upstreamPost = (
  url: string,
  body: object,
  auth: Record<string, string>,
  headers: Readonly<Record<string, string>> = acceptsEvents,
): UpstreamRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', ...headers, ...auth },
  body: providerBody(body),
});
