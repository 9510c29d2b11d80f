import type { ChatRequest } from '../completion.js';
import { dialects } from './index.js';

/** Service tiers that cost what the price list says, or less. */
const pricedTiers: ReadonlySet<unknown> = new Set([
  'auto',
  'default',
  'standard',
  'standard_only',
  'flex',
  'batch',
  'on_demand',
]);

/** Tools that the client runs. Providers charge extra for calls of their own tools. */
const clientTools: ReadonlySet<unknown> = new Set(['function', 'custom']);

const all = [...dialects.values()];
const fields = [...new Set(all.flatMap((dialect) => dialect.unpricedFields ?? []))];
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
 * cover: faster service, searches, sound, pictures, tools that the provider runs. Null if there
 * is none. The fields of every dialect count, whichever provider will be called: a fallback may
 * speak another.
 */
export function unpricedField(chat: ChatRequest): string | null {
  const { service_tier: tier, modalities } = chat;
  if (isGiven(tier) && !pricedTiers.has(tier)) return 'service_tier';
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text'))
    return 'modalities';
  const field = fields.find((name) => isGiven(chat[name]));
  if (field !== undefined) return field;
  const tool = chat.tools?.findIndex((each) => !isClientTool(each)) ?? -1;
  return tool === -1 ? null : `tools[${tool}]`;
}

/** Whether a model charges for more than tokens, judged by its name. */
export function isUnpricedModel(model: string): boolean {
  return models.some((pattern) => pattern.test(model));
}
