import type { ChatMessage, ReasoningEffort } from '../../completion.js';
import { explainPlan, gateOf } from '../../chooser/explain-plan.js';
import { invalidField } from '../../errors.js';
import { ambiguous, type ModelNames } from '../../pipeline/engine/model-names.js';
import type { SelectionQuestion } from '../../pipeline/select-model.js';
import type { Candidate, Plan, Price, RoutingRequest } from '../../chooser/plan.js';
import { nativeErrorBody } from './native-error.js';
import type { CallFields } from './openai.js';
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

/** The body of `POST /api/v1/model-select`, as its schema accepts it. */
export interface ModelSelectRequest extends Pick<
  CallFields,
  'tradeoff' | 'economy' | 'preference_id' | 'previous_session'
> {
  messages: ChatMessage[];
  llm_providers: ProviderEntry[];
  tools?: unknown[] | null;
  max_model_depth?: number | null;
  reasoning_effort?: ReasoningEffort | null;
  hash_content?: boolean | null;
}

/** Native model selection: docs/http-api.md. */
export const modelSelect: Surface = {
  label: 'model_select',
  invalidCode: 'bad_request',
  errorBody: nativeErrorBody,
};

/** Looks up what the names of entries stand for. */
export type EntryNames = Pick<ModelNames, 'ownersOf' | 'choicesOf'>;

/** Converts a body to the request that routing ranks for. */
export function routingRequestOf(body: Partial<ModelSelectRequest>): RoutingRequest {
  return {
    messages: body.messages ?? [],
    tools: body.tools ?? [],
    tradeoff: body.tradeoff ?? null,
    economy: body.economy ?? null,
    maxModelDepth: body.max_model_depth ?? null,
    ...(body.reasoning_effort ? { reasoningEffort: body.reasoning_effort } : {}),
  };
}

/** What a valid body of model selection asks. */
export function selectionQuestionOf(
  body: ModelSelectRequest,
  names: EntryNames,
  explain: boolean,
): SelectionQuestion {
  return {
    routing: routingRequestOf(body),
    links: body,
    candidates: body.llm_providers.flatMap((entry, index) =>
      candidatesOf(entry, names, () => `llm_providers[${index}]`),
    ),
    explain,
    field: 'llm_providers',
    hashContent: body.hash_content ?? false,
  };
}

/**
 * The candidates of an entry of `llm_providers`: one, or those of an alias. Their label is the
 * entry's `name` as sent, else `provider/model`.
 * @param field the entry's, for messages; a function, because a message is rare
 * @throws GatewayError `bad_request` for a bare name that several configured providers have
 */
export function candidatesOf(
  entry: ProviderEntry,
  names: EntryNames,
  field: () => string,
): Candidate | Candidate[] {
  const { provider, model } = entry;
  if (provider && model) return candidateOfEntry(entry, provider, model);
  const name = entry.name ?? model ?? '';
  const choices = names.choicesOf(name);
  if (choices.length > 0) throw invalidField(field(), ambiguous(name, choices), 'bad_request');
  const owners = names.ownersOf(name) ?? [{ provider: null, model: name }];
  return owners.map((owner) => candidateOfEntry(entry, owner.provider, owner.model));
}

function candidateOfEntry(entry: ProviderEntry, provider: string | null, model: string): Candidate {
  const price = priceOf(entry);
  const attributes = entry.context_length
    ? { context_length: entry.context_length, ...entry.attributes }
    : entry.attributes;
  const candidate: Candidate = {
    label: entry.name ?? `${provider ?? ''}/${model}`,
    provider,
    model,
  };
  // not spreads: forty candidates with them cost 4 µs
  if (price) candidate.price = price;
  if (typeof entry.latency === 'number') candidate.latency = entry.latency;
  if (attributes) candidate.attributes = attributes;
  return candidate;
}

function priceOf({ price, input_price: input, output_price: output }: ProviderEntry): Price | null {
  if (typeof input === 'number' || typeof output === 'number')
    return { input: input ?? price ?? null, output: output ?? price ?? null };
  return typeof price === 'number' ? { input: price, output: price } : null;
}

/** The response body: the label to call, the ranking up to `max_model_depth`, and the reason. */
export function selectionOf(plan: Plan, depth: number | null, explain: boolean) {
  const shown = plan.candidates.slice(0, depth ?? plan.candidates.length);
  return {
    llm_label: plan.candidates[0].label,
    session_id: plan.id,
    providers: shown.map(({ provider, model, effort }) =>
      effort === undefined ? { provider, model } : { provider, model, reasoning_effort: effort },
    ),
    reason: plan.reason,
    ...(explain ? { ...gateOf(plan), candidates: explainPlan(plan) } : {}),
  };
}
