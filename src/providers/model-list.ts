import type { ListedModel, ModelListAdapter, ModelType } from './adapter.js';
import { unreadable } from './failure.js';
import { parseJson } from './json.js';
import { modelTypeOf } from './model-type.js';
import { isObject, table } from '../text/is-object.js';

/** Names that are longer are not listed. */
const maxNameLength = 256;
const maxModels = 10_000;

/** How one provider lists its models. */
export interface ModelListing {
  /** Absolute. */
  readonly url: string;
  readonly headers?: Record<string, string>;
  /** Reads one entry; null: it is no model. Default: `entryOf`. */
  readonly read?: (entry: Record<string, unknown>) => ListedModel | null;
}

/** A list under `data` or `models`, or a bare list, in one page. */
export const modelList = (
  provider: string,
  { url, headers = {}, read = entryOf }: ModelListing,
): ModelListAdapter => ({
  url,
  headers,
  readModels(body) {
    const entries = entriesOf(parseJson(body));
    if (!entries) throw unreadable(provider, 'the body is not a list of models');
    // vLLM's router lists bare names
    const models = entries
      .slice(0, maxModels)
      .map((entry) => (typeof entry === 'string' ? { id: entry } : entry))
      .map((entry) => (isObject(entry) ? read(entry) : null));
    return models.filter((model) => model !== null).filter(({ model }) => isName(model));
  },
});

function entriesOf(body: unknown): unknown[] | null {
  if (Array.isArray(body)) return body as unknown[];
  if (!isObject(body)) return null;
  const entries = body['data'] ?? body['models'];
  return Array.isArray(entries) ? (entries as unknown[]) : null;
}

const isName = (name: string): boolean =>
  name !== '' && name.length <= maxNameLength && !/[\s\p{C}]/u.test(name);

const types: readonly ModelType[] = [
  'chat',
  'completion',
  'embedding',
  'rerank',
  'moderation',
  'image',
  'video',
];
/** Words of Together, Fireworks and others for the same. */
const otherWords: Record<string, ModelType> = table({
  language: 'completion',
  code: 'completion',
  embeddings: 'embedding',
  transcribe: 'transcription',
  audio: 'speech',
});

/**
 * An entry in OpenAI's shape, `{id, created}`, with what OpenAI-compatible providers add: `type`
 * (Together), `capabilities.completion_chat` (Mistral), `supports_chat` (Fireworks),
 * `architecture.output_modalities` (OpenRouter), a context length under various names.
 */
function entryOf(entry: Record<string, unknown>): ListedModel | null {
  const { name, id = name, created } = entry;
  if (typeof id !== 'string') return null;
  const context = entry['context_length'] ?? entry['context_window'] ?? entry['max_context_length'];
  return {
    model: id,
    type: statedType(entry) ?? modelTypeOf(id),
    ...(typeof created === 'number' && created > 0 ? { created: Math.floor(created) } : {}),
    ...(typeof context === 'number' && context > 0 ? { contextLength: Math.floor(context) } : {}),
  };
}

function statedType(entry: Record<string, unknown>): ModelType | null {
  const { type, capabilities, architecture, supports_chat: chats } = entry;
  if (typeof type === 'string')
    return types.find((known) => known === type) ?? otherWords[type] ?? null;
  if (isObject(capabilities) && capabilities['completion_chat'] === false)
    return notChat(String(entry['id']));
  if (chats === false) return notChat(String(entry['id']));
  const outputs = isObject(architecture) ? architecture['output_modalities'] : null;
  if (Array.isArray(outputs) && !outputs.includes('text'))
    return outputs.includes('image') ? 'image' : 'other';
  return null;
}

/** The type by name of a model that its provider says cannot chat. */
function notChat(name: string): ModelType {
  const type = modelTypeOf(name);
  return type === 'chat' ? 'other' : type;
}
