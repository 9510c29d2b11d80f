import type { ProviderAdapter } from '../providers/adapter.js';
import type { Limits, RankedCandidate } from '../routing/plan.js';
import type { AnswerWriter } from './answer-writer.js';
import type { Cancellation } from './cancellation.js';
import { type Attempt, BrokenStream, executePlan } from './execute-plan.js';
import type { Provider } from './provider.js';

export interface EmbeddingInput {
  provider: Provider;
  model: string;
  /** OpenAI's body without `model`. */
  body: Record<string, unknown>;
  limits: Limits;
  cancellation: Cancellation;
  onAttempt: (attempt: Attempt) => void;
}

export interface EmbeddingOutcome {
  /** OpenAI's shape. */
  answer: unknown;
  promptTokens: number | null;
}

/**
 * Makes embeddings with the same retries, key rotation and deadlines as completions: the provider's adapter is given another
 * question to ask, and everything else stays as it is.
 * @throws GatewayError as `executePlan`
 */
export async function embed(input: EmbeddingInput): Promise<EmbeddingOutcome> {
  const kept: { outcome: EmbeddingOutcome | null } = { outcome: null };
  const adapter = asking(input, (outcome) => (kept.outcome = outcome));
  const provider = { ...input.provider, adapter };
  const candidate: RankedCandidate = {
    label: `${provider.name}/${input.model}`,
    provider: provider.name,
    model: input.model,
    score: 1,
    why: { quality: 0, price: null, latency: null, reason: 'the only one' },
  };
  await executePlan({
    plan: {
      id: '',
      candidates: [candidate],
      excluded: [],
      promptTokens: 0,
      limits: input.limits,
      reason: 'the only one',
    },
    request: { messages: [] },
    stream: false,
    writer: nobody,
    cancellation: input.cancellation,
    providerOf: () => provider,
    onAttempt: input.onAttempt,
  }).catch((error: unknown) => {
    throw error instanceof BrokenStream ? error.error : error;
  });
  return kept.outcome ?? { answer: null, promptTokens: null };
}

function asking(
  { provider, model, body }: EmbeddingInput,
  keep: (outcome: EmbeddingOutcome) => void,
): ProviderAdapter {
  const { adapter } = provider;
  const { embeddings } = adapter;
  if (!embeddings) return adapter;
  return {
    ...adapter,
    speaksInternalDialect: false,
    buildRequest: (_call, apiKey) => embeddings.buildRequest(body, model, apiKey),
    readCompletion(text) {
      keep(embeddings.readAnswer(text, model, body));
      const message = { role: 'assistant', content: '' };
      return {
        completion: {
          id: '',
          object: 'embeddings',
          created: 0,
          model,
          choices: [{ index: 0, message, finish_reason: 'stop' }],
        },
        usage: null,
      };
    },
  };
}

/** The answer is kept by the adapter; a completion's writer has nothing to write. */
const nobody: AnswerWriter = {
  streams: false,
  begin: () => undefined,
  text: () => undefined,
  chunk: () => undefined,
  whole: () => undefined,
  flush: () => true,
  whenDrained: (resume) => {
    resume();
  },
};
