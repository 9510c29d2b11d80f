import type { ChatRequest } from '../completion.js';
import { asList, isObject, nameSet, namesIn } from '../text/is-object.js';
import type { OriginalRequest } from './adapter.js';
import { dialects } from './index.js';

/** Service tiers that cost what the price list says, or less. */
const pricedTiers: ReadonlySet<unknown> = nameSet(`
  auto default standard standard_only flex batch on_demand
`);

/** Tools that the client runs. Providers charge extra for calls of their own tools. */
const clientTools: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** Fields of many dialects that cost no more than the tokens that they are or make. */
const commonFields = [
  ...namesIn(`
    messages model stream stream_options max_tokens max_completion_tokens n stop temperature top_p
    top_k min_p top_a seed presence_penalty frequency_penalty repetition_penalty logit_bias
    logprobs top_logprobs tools tool_choice parallel_tool_calls functions function_call
    response_format reasoning_effort reasoning thinking verbosity prediction service_tier
    modalities cache_control prompt_cache_key prompt_cache_retention prompt_cache_options metadata
    user safety_identifier store
  `),
  // a model without a known price of searches is refused instead
  'web_search_options',
  // the gateway's own
  'conversationId',
];

const embeddingFields = nameSet(`
  model input dimensions encoding_format input_type truncate max_tokens priority user
`);

const all = [...dialects.values()];
const pricedFields: ReadonlySet<string> = new Set([
  ...commonFields,
  ...all.flatMap((dialect) => dialect.pricedFields ?? []),
]);
/** Beside those, the fields of Messages and Responses. */
const originalFields: ReadonlySet<string> = new Set([
  ...pricedFields,
  ...namesIn(`
    system stop_sequences output_config output_format context_management input instructions include
    max_output_tokens max_tool_calls client_metadata speed user_profile_id
  `),
]);
const models = all.flatMap((dialect) => dialect.unpricedModels ?? []);

const isGiven = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0);

/** Checks the content too: a provider's own tool can be sent under the type of a client's tool. */
const isClientTool = (tool: Readonly<Record<string, unknown>>): boolean =>
  clientTools.has(tool['type']) &&
  isGiven(tool[String(tool['type'])]) &&
  !isGiven(tool['systemTool']);

/**
 * The first field of a chat request that asks for something which the prices of tokens do not
 * cover, such as faster service, searches, sound, pictures and tools that the provider runs, or that
 * is not known not to. Null if there is none. The fields of every dialect count, whichever provider
 * will be called: a fallback may speak another.
 */
export function unpricedField(chat: ChatRequest): string | null {
  const { service_tier: tier, modalities } = chat;
  if (isGiven(tier) && !pricedTiers.has(tier)) return 'service_tier';
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text'))
    return 'modalities';
  const field = Object.keys(chat).find((name) => !pricedFields.has(name) && isGiven(chat[name]));
  if (field !== undefined) return field;
  const tool = chat.tools?.findIndex((each) => !isClientTool(each)) ?? -1;
  return tool === -1 ? null : `tools[${tool}]`;
}

/**
 * The same for a body of Messages or Responses, whose tools are named by their type alone; `custom`
 * and no type are tools of the client.
 */
export function unpricedOriginalField({ body }: Pick<OriginalRequest, 'body'>): string | null {
  const { service_tier: tier, speed, tools, input, context_management: context } = body;
  if (isGiven(tier) && !pricedTiers.has(tier)) return 'service_tier';
  if (isGiven(speed) && speed !== 'standard') return 'speed';
  const field = Object.keys(body).find((name) => !originalFields.has(name) && isGiven(body[name]));
  if (field !== undefined) return field;
  // what a provider sums up or searches for, it bills beside the answer
  if (!isClearing(context)) return 'context_management';
  const inputTools = Array.isArray(input)
    ? input.flatMap((item) => (isObject(item) ? [item['tools']] : []))
    : [];
  const others = [tools, ...inputTools].flat().filter((tool) => isGiven(tool));
  return others.every((tool) => isObject(tool) && ownTypes.has(tool['type'])) ? null : 'tools';
}

const ownTypes: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom', 'namespace']);

/** Edits that only leave parts of the prompt out. */
const isClearing = (context: unknown): boolean =>
  !isGiven(context) ||
  (isObject(context) &&
    [context['edits'] ?? []]
      .flat()
      .every((edit) => isObject(edit) && String(edit['type']).startsWith('clear_')));

/** The same for an embedding, whose input must be text or tokens. */
export function unpricedEmbeddingField(body: Readonly<Record<string, unknown>>): string | null {
  const field = Object.keys(body).find((name) => !embeddingFields.has(name) && isGiven(body[name]));
  if (field !== undefined) return field;
  const inputs = [body['input']].flat(2);
  return inputs.every((input) => typeof input === 'string' || typeof input === 'number')
    ? null
    : 'input';
}

const rerankFields = nameSet(`
  query documents top_n return_documents max_tokens_per_doc truncation priority user
`);

/** The same for a reranking. */
export const unpricedRerankField = (body: Readonly<Record<string, unknown>>): string | null =>
  Object.keys(body).find((name) => !rerankFields.has(name) && isGiven(body[name])) ?? null;

/** By these a provider, or a relay behind it, calls other models than the named one (2026-11). */
const otherModels = nameSet('fallbacks preset provideroptions route');

/**
 * The first field by which a request may reach other models than it names; null: there is none.
 * Servers written in Go read names in either case.
 */
export const otherModelField = (body: Readonly<Record<string, unknown>>): string | null =>
  Object.keys(body).find((name) => otherModels.has(name.toLowerCase()) && isGiven(body[name])) ??
  (asList(body['tools']).some(namesModel) ? 'tools' : null);

const namesModel = (tool: unknown): boolean =>
  isObject(tool) &&
  Object.keys(tool).some((name) => name.toLowerCase() === 'model' && isGiven(tool[name]));

/** Whether a model charges for more than tokens, judged by its name. */
export const isUnpricedModel = (model: string): boolean =>
  models.some((pattern) => pattern.test(model));
