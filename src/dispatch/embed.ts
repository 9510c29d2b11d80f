import { GatewayError } from '../errors.js';
import type { EmbeddingAnswer } from '../providers/adapter.js';
import type { Limits } from '../chooser/plan.js';
import type { OnAttempt } from './attempt-log.js';
import type { Admission } from './candidate-attempts.js';
import type { Cancellation } from './cancellation.js';
import { BrokenStream, executePlan } from './execute-plan.js';
import type { Provider } from './provider.js';
import { wholeCall } from './upstream-call.js';

/** A request for embeddings, and what limits it. */
export interface EmbeddingRequest {
  provider: Provider;
  model: string;
  /** OpenAI's body without `model`. */
  body: Record<string, unknown>;
  limits: Limits;
  cancellation: Cancellation;
  onAttempt: OnAttempt;
  admit?: Admission;
}

/**
 * Makes embeddings with one model, with the retries, key rotation and deadlines of completions.
 * @throws GatewayError `not_implemented` if the provider has no embeddings; else as
 *   `executePlan`
 */
export async function callEmbedding(request: EmbeddingRequest): Promise<EmbeddingAnswer> {
  const { provider, model, body, limits, cancellation, onAttempt, admit } = request;
  const { embeddings } = provider.adapter;
  if (!embeddings)
    throw new GatewayError('not_implemented', `provider ${provider.name} has no embeddings`);
  try {
    const { answer, promptTokens } = await executePlan({
      plan: {
        candidates: [{ label: `${provider.name}/${model}`, provider: provider.name, model }],
        limits,
      },
      stream: false,
      callOf: () =>
        wholeCall(
          (apiKey) => embeddings.buildRequest(body, model, apiKey),
          (text) => embeddings.readAnswer(text, model, body),
        ),
      cancellation,
      providerOf: () => provider,
      onAttempt,
      refusal: { keepsStatus: true, modelField: 'model' },
      ...(admit ? { admit } : {}),
    });
    return { answer, promptTokens };
  } catch (error) {
    throw error instanceof BrokenStream ? error.error : error;
  }
}
