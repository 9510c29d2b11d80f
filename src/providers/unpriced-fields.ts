import type { ChatRequest } from '../completion.js';

/** What is charged at a model's own prices, or below them. */
const plainTiers: ReadonlySet<unknown> = new Set([
  'auto',
  'default',
  'standard',
  'standard_only',
  'flex',
  'batch',
  'on_demand',
]);
/** Tools that the client runs itself; a provider charges for each call of its own, and for what they find. */
const ownTools: ReadonlySet<unknown> = new Set(['function', 'custom']);
/**
 * Sound; searches (OpenAI, OpenRouter, xAI, Alibaba); answers that are written when nobody listens any more, and what is read from the provider's own store
 * (Responses); faster service, and whatever goes around the bounds of an answer (Bedrock, Gemini); who serves a model, at whose price (OpenRouter).
 */
const extras = [
  'audio',
  'web_search_options',
  'plugins',
  'search_parameters',
  'enable_search',
  'background',
  'previous_response_id',
  'conversation',
  'prompt',
  'serviceTier',
  'performanceConfig',
  'additionalModelRequestFields',
  'generationConfig',
  'provider',
  'preset',
];

const isGiven = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0);

/** By what it holds, too: a provider's own tool may come under another's type. */
const isOwnTool = (tool: Readonly<Record<string, unknown>>): boolean =>
  ownTools.has(tool['type']) && isGiven(tool[String(tool['type'])]) && !isGiven(tool['systemTool']);

/** The first field of a request that asks for what costs more than the prices of its tokens say: faster service, searches, sound, pictures. Null: none does. */
export function unpricedExtra(chat: ChatRequest): string | null {
  const { service_tier: tier, modalities } = chat;
  if (isGiven(tier) && !plainTiers.has(tier)) return 'service_tier';
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text'))
    return 'modalities';
  const extra = extras.find((field) => isGiven(chat[field]));
  if (extra !== undefined) return extra;
  const tool = chat.tools?.findIndex((each) => !isOwnTool(each)) ?? -1;
  return tool === -1 ? null : `tools[${tool}]`;
}

/** Whether a model's name asks for a search before each answer, which has a price of its own (OpenRouter). */
export const searchesFirst = (model: string): boolean => /:online(?![a-z])/i.test(model);
