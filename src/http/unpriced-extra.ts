import type { ChatRequest } from '../completion.js';

/** What is charged at a model's own prices, or below them. */
const plainTiers: ReadonlySet<unknown> = new Set(['auto', 'default', 'standard', 'standard_only', 'flex', 'batch', 'on_demand']);
/** Tools that the client runs itself; a provider charges for each call of its own, and for what they find. */
const ownTools: ReadonlySet<string> = new Set(['function', 'custom']);

const isGiven = (value: unknown): boolean => value !== null && value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** The first field of a request that asks for what costs more than the prices of its tokens say: faster service, searches, sound, pictures. Null: none does. */
export function unpricedExtra(chat: ChatRequest): string | null {
  const { service_tier: tier, modalities } = chat;
  if (isGiven(tier) && !plainTiers.has(tier)) return 'service_tier';
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) return 'modalities';
  const extra = ['audio', 'web_search_options', 'plugins'].find((field) => isGiven(chat[field]));
  if (extra !== undefined) return extra;
  const tool = chat.tools?.findIndex(({ type }) => !ownTools.has(type)) ?? -1;
  return tool === -1 ? null : `tools[${tool}]`;
}
