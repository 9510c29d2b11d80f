import type { ListedModel, OriginalRequest } from '../providers/adapter.js';
import type { Candidate, Limits } from '../chooser/plan.js';
import { AttemptFailure, makeAttempt } from './attempt.js';
import { type Cancellation, Deadline } from './cancellation.js';
import { nextKey, type Provider } from './provider.js';
import { type AttemptAnswer, type UpstreamCall, wholeCall } from './upstream-call.js';

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
  const call = wholeCall(
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
  );
  return (await askOnce(provider, call, cancellation)).models;
}

/**
 * Asks a provider once how many tokens a prompt has, within 15 seconds. It costs nothing.
 * @returns null if the provider does not count
 * @throws GatewayError as one attempt of a completion
 */
export async function askForTokens(
  provider: Provider,
  { model }: Candidate,
  original: OriginalRequest,
  cancellation: Cancellation,
): Promise<number | null> {
  const { tokenCount, dialect } = provider.adapter;
  if (!tokenCount || dialect !== original.dialect) return null;
  const call = wholeCall(
    (apiKey) => tokenCount.buildRequest(original, model, apiKey),
    (body) => ({ tokens: tokenCount.readCount(body) }),
  );
  return (await askOnce(provider, call, cancellation)).tokens;
}

async function askOnce<Answer extends AttemptAnswer>(
  provider: Provider,
  call: UpstreamCall<Answer>,
  cancellation: Cancellation,
): Promise<Answer> {
  try {
    return await makeAttempt({
      provider,
      call,
      apiKey: nextKey(provider),
      limits,
      cancellation,
      deadline: new Deadline(timeoutMs),
      onFirstContent: null,
      span: null,
      timing: { sentAt: null, headersAt: null },
    });
  } catch (error) {
    throw error instanceof AttemptFailure ? error.error : error;
  }
}
