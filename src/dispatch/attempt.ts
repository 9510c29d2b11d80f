import type { UpstreamRequest } from '../providers/adapter.js';
import { AttemptFailure, type AttemptInput, type AttemptResult, Exchange } from './exchange.js';
import { networkFailure } from './network-failure.js';

export { AttemptFailure, type AttemptInput, type AttemptResult } from './exchange.js';

/**
 * One upstream call, from its request to the end of its answer.
 *
 * The commit rule: an attempt is committed when its first content has been given to a writer that streams, or, for a reply
 * that is not streamed, when the answer is whole. Before that anything may be tried again; after it nothing is repeated.
 * @throws AttemptFailure
 */
export function attempt(input: AttemptInput): Promise<AttemptResult> {
  const unsent = (error: unknown): Promise<never> =>
    Promise.reject(new AttemptFailure(networkFailure(input.provider.name, error), false, null, 0));
  try {
    const request = input.provider.adapter.buildRequest(input.call, input.apiKey);
    return request instanceof Promise
      ? request.then((built) => exchange(built, input), unsent)
      : exchange(request, input);
  } catch (error) {
    return unsent(error);
  }
}

function exchange(request: UpstreamRequest, input: AttemptInput): Promise<AttemptResult> {
  if (input.cancellation.reason)
    return Promise.reject(new AttemptFailure(input.cancellation.reason, false, null, 0));
  return new Promise((resolve, reject) => {
    const handler = new Exchange(input, resolve, reject);
    const { pool, path } = input.provider.upstreams.to(request.url);
    try {
      pool.dispatch(
        {
          path,
          method: request.method,
          headers: { 'accept-encoding': 'identity', ...request.headers },
          body: request.body,
        },
        handler,
      );
    } catch (error) {
      handler.notSent(error);
    }
  });
}
