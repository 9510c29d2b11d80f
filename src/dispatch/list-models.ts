import type { ListedModel, ModelListAdapter, Passthrough } from '../providers/adapter.js';
import type { Limits } from '../chooser/plan.js';
import { AttemptFailure, makeAttempt } from './attempt.js';
import type { Cancellation } from './cancellation.js';
import { Deadline } from './deadline.js';
import type { Provider } from './provider.js';
import type { AttemptAnswer, UpstreamCall } from './upstream-call.js';

const timeoutMs = 15_000;
const limits: Limits = {
  retriesPerCandidate: 0,
  firstEventTimeoutMs: timeoutMs,
  idleTimeoutMs: timeoutMs,
  totalTimeoutMs: timeoutMs,
};

interface ListAnswer extends AttemptAnswer {
  readonly models: readonly ListedModel[];
}

/** Whether a provider can be asked which models it has. */
export const canList = ({ adapter }: Provider): boolean =>
  adapter.modelList !== undefined && adapter.passthrough !== undefined;

/**
 * Asks a provider once which models it has, within 15 seconds.
 * @returns none where `canList` is false
 * @throws GatewayError as one attempt of a completion
 */
export async function askForModels(
  provider: Provider,
  cancellation: Cancellation,
): Promise<readonly ListedModel[]> {
  const { modelList, passthrough } = provider.adapter;
  if (!modelList || !passthrough) return [];
  try {
    const { models } = await makeAttempt({
      provider,
      call: listCall(modelList, passthrough),
      apiKey: provider.keys.next(),
      limits,
      cancellation,
      deadline: new Deadline(timeoutMs),
      timing: { sentAt: null, headersAt: null },
    });
    return models;
  } catch (error) {
    throw error instanceof AttemptFailure ? error.error : error;
  }
}

function listCall(list: ModelListAdapter, target: Passthrough): UpstreamCall<ListAnswer> {
  return {
    buildRequest: async (apiKey) => ({
      method: 'GET',
      url: list.url,
      headers: {
        accept: 'application/json',
        ...list.headers,
        ...(await target.headers(apiKey)),
      },
      body: '',
    }),
    openStream: () => null,
    readWhole: (bytes) => ({
      models: list.readModels(bytes.toString('utf8')),
      firstContentAt: performance.now(),
    }),
    progress: () => ({ firstContentAt: null, contentLength: 0, committed: false, usage: null }),
  };
}
