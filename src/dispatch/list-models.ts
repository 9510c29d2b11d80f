import type { ListedModel } from '../providers/adapter.js';
import type { Limits } from '../chooser/plan.js';
import { AttemptFailure, makeAttempt } from './attempt.js';
import { type Cancellation, Deadline } from './cancellation.js';
import type { Provider } from './provider.js';
import { wholeCall } from './upstream-call.js';

const timeoutMs = 15_000;
const limits: Limits = {
  retriesPerCandidate: 0,
  firstEventTimeoutMs: timeoutMs,
  idleTimeoutMs: timeoutMs,
  totalTimeoutMs: timeoutMs,
};

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
      call: wholeCall(
        async (apiKey) => ({
          method: 'GET',
          url: modelList.url,
          headers: {
            accept: 'application/json',
            ...modelList.headers,
            ...(await passthrough.headers(apiKey)),
          },
          body: '',
        }),
        (body) => ({ models: modelList.readModels(body) }),
      ),
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
