import type { ChatMessage } from '../../completion.js';
import { type CandidateExplanation, explainPlan, gateOf } from '../../routing/explain-plan.js';
import type { Candidate, Plan, Price, RoutingRequest } from '../../routing/plan.js';
import { nativeErrorBody } from '../error-handler.js';
import type { Surface } from './surface.js';

/** One entry of `llm_providers`. Prices in USD per million tokens, latency in seconds. */
export interface ProviderEntry {
  name?: string | null;
  provider?: string | null;
  model?: string | null;
  price?: number | null;
  input_price?: number | null;
  output_price?: number | null;
  latency?: number | null;
  context_length?: number | null;
  attributes?: Record<string, unknown> | null;
}

/** The body of `POST /api/v1/model-select`, as its schema lets it through. */
export interface ModelSelectRequest {
  messages: ChatMessage[];
  llm_providers: ProviderEntry[];
  tools?: unknown[] | null;
  max_model_depth?: number | null;
  tradeoff?: 'cost' | 'latency' | null;
  preference_id?: string | null;
  hash_content?: boolean | null;
  previous_session?: string | null;
}

/** The interface's model selection: spec/model-routing-and-completions.md, operation A. */
export const modelSelect: Surface = {
  name: 'model_select',
  invalidCode: 'bad_request',
  errorBody: nativeErrorBody,
};

/** Whose model a bare name is. */
export type Identify = (name: string) => { provider: string; model: string } | null;

/** The request as routing sees it. */
export function routingRequestOf(body: ModelSelectRequest): RoutingRequest {
  return {
    messages: body.messages,
    tools: body.tools ?? [],
    tradeoff: body.tradeoff ?? null,
    maxModelDepth: body.max_model_depth ?? null,
  };
}

/**
 * An entry as a candidate. Its label is its `name` as sent, else `provider/model`.
 * @param identify whose model a bare name is, null where nobody knows
 */
export function candidateOfEntry(entry: ProviderEntry, identify: Identify): Candidate {
  const { provider, model } = whoseModel(entry, identify);
  const price = priceOf(entry);
  const attributes = entry.context_length
    ? { context_length: entry.context_length, ...entry.attributes }
    : entry.attributes;
  return {
    label: entry.name ?? `${provider ?? ''}/${model}`,
    provider,
    model,
    ...(price ? { price } : {}),
    ...(typeof entry.latency === 'number' ? { latency: entry.latency } : {}),
    ...(attributes ? { attributes } : {}),
  };
}

function whoseModel(
  entry: ProviderEntry,
  identify: Identify,
): { provider: string | null; model: string } {
  if (entry.provider && entry.model) return { provider: entry.provider, model: entry.model };
  const name = entry.name ?? entry.model ?? '';
  return identify(name) ?? { provider: null, model: name };
}

function priceOf({ price, input_price: input, output_price: output }: ProviderEntry): Price | null {
  if (typeof input === 'number' || typeof output === 'number')
    return { input: input ?? price ?? null, output: output ?? price ?? null };
  return typeof price === 'number' ? { input: price, output: price } : null;
}

/** The answer: the label to call, the ranking cut at `max_model_depth`, and why. */
export function selectionOf(
  plan: Plan,
  depth: number | null,
  explain: boolean,
): {
  llm_label: string;
  session_id: string;
  providers: object[];
  reason: string;
  gate?: number;
  candidates?: CandidateExplanation[];
} {
  const told = plan.candidates.slice(0, depth ?? plan.candidates.length);
  return {
    llm_label: plan.candidates[0].label,
    session_id: plan.id,
    providers: told.map(({ provider, model }) => ({ provider, model })),
    reason: plan.reason,
    ...(explain ? { ...gateOf(plan), candidates: explainPlan(plan) } : {}),
  };
}
