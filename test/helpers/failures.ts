import { at, textAt, tryJson } from './json.js';
import { bodyOf, type Exchange } from './recorded.js';
import type { Manner } from './replay.js';

/** What is left of a failure when it reaches the client and nobody else was asked. */
export interface ClientFailure {
  status: number;
  /** The provider's own words, '' if it has none. */
  reason: string;
}

const badKey = /api key not valid|(invalid|incorrect) api key|api key is invalid/i;

/**
 * The words of an error in the shapes that providers send: `{error: {message}}`, `{error: "…"}`,
 * `{detail}`, `{message}`.
 */
function reasonOf(body: unknown): string {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  return (
    textAt(first, 'error', 'message') ||
    textAt(first, 'error') ||
    textAt(first, 'detail') ||
    textAt(first, 'message') ||
    textAt(first, 'Message') ||
    textAt(at(first, 'error'), 'detail')
  );
}

/**
 * The status that a client of the surface gets where one provider alone was asked once and failed
 * so. `text` is the provider's body.
 */
export function clientStatus(status: number, text: string, surface: Manner['surface']): number {
  if (status === 429) return 429;
  if (status === 503 || status === 529) return 503;
  if (status === 404 || status === 410 || status === 501) return surface === 'openai' ? 404 : 422;
  const refused = status === 400 || status === 413 || status === 422;
  // some say under 400 what others say under 401
  if (!refused || badKey.test(text)) return 502;
  return surface === 'openai' ? status : 422;
}

/** What the client of the surface gets of an exchange that failed outright. */
export function clientFailure(exchange: Exchange, surface: Manner['surface']): ClientFailure {
  const text = bodyOf(exchange).toString('utf8');
  return { status: clientStatus(exchange.status, text, surface), reason: reasonOf(tryJson(text)) };
}
