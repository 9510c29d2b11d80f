import { inTurns } from '../async/turns.js';
import type { UpstreamRequest } from '../providers/adapter.js';
import { AttemptFailure, type AttemptInput } from './attempt-input.js';
import { Exchange } from './exchange.js';
import { networkFailure } from './network-failure.js';
import type { AttemptAnswer } from './upstream-call.js';

export { AttemptFailure } from './attempt-input.js';

/**
 * Makes one upstream call, from its request to the end of its answer.
 *
 * The commit rule: an attempt is committed when its first content has gone to a writer that
 * streams, or, for a reply that is not streamed, when the answer is complete. Before that, anything
 * may be retried; after that, nothing is repeated.
 * @throws AttemptFailure
 */
export async function makeAttempt<Answer extends AttemptAnswer>(
  input: AttemptInput<Answer>,
): Promise<Answer> {
  const { call, apiKey, provider, cancellation } = input;
  let request: UpstreamRequest;
  let body: string | Buffer;
  try {
    // no await where the request is there at once: most adapters need none
    const building = call.buildRequest(apiKey);
    request = building instanceof Promise ? await building : building;
    const { body: given } = request;
    body =
      typeof given === 'string' || Buffer.isBuffer(given) ? given : await inTurns(given.print());
  } catch (error) {
    const failure = networkFailure(provider.name, error);
    throw new AttemptFailure(failure, call.progress(), false, provider.secrets);
  }
  if (cancellation.reason)
    throw new AttemptFailure(cancellation.reason, call.progress(), false, provider.secrets);
  return exchange(request, body, input);
}

function exchange<Answer extends AttemptAnswer>(
  { method, url, headers: own }: UpstreamRequest,
  body: string | Buffer,
  input: AttemptInput<Answer>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(input, own, resolve, reject);
    const { pool, path } = input.provider.upstreams.to(url);
    const headers = { 'accept-encoding': 'identity', ...own };
    try {
      if (input.span)
        input.span.send(url, (traced) =>
          pool.dispatch({ path, method, headers: { ...traced, ...headers }, body }, handler),
        );
      else pool.dispatch({ path, method, headers, body }, handler);
    } catch (error) {
      handler.notSent(error);
    }
  });
}
