import createClient from 'openapi-fetch';
import type { paths } from './api-types.js';
import { noteAnswer } from './connection.js';
import { ApiFailure } from './failure.js';
import { texts } from '../texts/texts.js';

/** The path under which the gateway is mounted, without a slash at the end; `''` at the root. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '');

/** The gateway's address as other programs reach it, without a slash at the end. */
export const gatewayUrl = `${location.origin}${basePath}`;

/** The sign-in's token, which each change must carry; in memory only. */
let csrfToken: string | null = null;

/** Sets the token that changes carry from now on. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** The headers of a request that the page sends without the client, such as a streamed one. */
export const changeHeaders = (): Record<string, string> =>
  csrfToken === null ? {} : { 'x-csrf-token': csrfToken };

/** What a request that got no answer leaves. @throws what aborted it: the gateway is not to blame */
function noAnswer(error: unknown): null {
  if (error instanceof DOMException && error.name === 'AbortError') throw error;
  return null;
}

/**
 * `fetch` of the gateway; the client's changes get the token. Where it does not answer, a banner
 * says it for all of the page.
 * @throws ApiFailure if there is no answer, or one that is not 2xx
 */
export async function send(to: string | Request, init?: RequestInit): Promise<Response> {
  if (to instanceof Request && to.method !== 'GET' && csrfToken !== null)
    to.headers.set('x-csrf-token', csrfToken);
  const response = await fetch(to, init).catch(noAnswer);
  if (!noteAnswer(response) || !response) throw new ApiFailure(0, texts.common.unanswered, null);
  if (!response.ok) throw await ApiFailure.of(response);
  return response;
}

/**
 * Calls the gateway's API by the types of `/openapi.json`. Every answer that is not 2xx is thrown as
 * `ApiFailure`, so that `data` is there:
 * `const { data } = await api.GET('/api/v1/keys', { params: { query: { limit: 50 } } })`.
 */
export const api = createClient<paths, 'application/json'>({
  baseUrl: basePath === '' ? '/' : basePath,
  fetch: send,
});

/** The data of an answer. @throws ApiFailure if the gateway sent none */
export async function dataOf<Data>(answer: Promise<{ data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await answer;
  if (data === undefined || data === null) throw new ApiFailure(0, 'the answer is empty', null);
  return data;
}
