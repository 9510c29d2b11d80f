import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UpstreamRequest } from '../providers/adapter.js';
import { AttemptFailure, type AttemptInput } from './attempt-input.js';
import { Exchange } from './exchange.js';
import { networkFailure } from './network-failure.js';
import type { AttemptAnswer } from './upstream-call.js';

export { AttemptFailure } from './attempt-input.js';

/** A longer body is encoded in a turn of its own: 32 MiB take 100 ms. */
const maxOneTurnLength = 512 * 1024;

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
  try {
    // no await where the request is there at once: most adapters need none
    const building = call.buildRequest(apiKey);
    request = building instanceof Promise ? await building : building;
    const { body } = request;
    if (typeof body === 'string' && body.length > maxOneTurnLength)
      request = { ...request, body: await encoded(body) };
  } catch (error) {
    const failure = networkFailure(provider.name, error);
    throw new AttemptFailure(failure, call.progress(), false, provider.secrets);
  }
  if (cancellation.reason)
    throw new AttemptFailure(cancellation.reason, call.progress(), false, provider.secrets);
  return exchange(request, input);
}

/** A text as bytes; other requests proceed before and after. */
async function encoded(body: string): Promise<Buffer> {
  await nextTurn();
  const bytes = Buffer.from(body);
  await nextTurn();
  return bytes;
}

function exchange<Answer extends AttemptAnswer>(
  request: UpstreamRequest,
  input: AttemptInput<Answer>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(input, request.headers, resolve, reject);
    const { pool, path } = input.provider.upstreams.to(request.url);
    const { method, body } = request;
    const headers = { 'accept-encoding': 'identity', ...request.headers };
    try {
      if (input.span)
        input.span.send(request.url, (traced) =>
          pool.dispatch({ path, method, headers: { ...traced, ...headers }, body }, handler),
        );
      else pool.dispatch({ path, method, headers, body }, handler);
    } catch (error) {
      handler.notSent(error);
    }
  });
}
