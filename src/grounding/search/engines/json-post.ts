import type { EngineRequest } from '../search-engine.js';

/** A request that sends JSON. */
export const jsonPost = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): EngineRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
