import { type ChatRequest, effortOf, type ReasoningEffort } from '../completion.js';
import { isObject } from '../text/is-object.js';

/** Google's own fields for thinking, in the places where its clients put them. */
function asksGoogle(chat: ChatRequest): boolean {
  const { google } = (chat['extra_body'] ?? {}) as { google?: unknown };
  return [google, chat['google'], chat['generationConfig']].some(
    (fields) => isObject(fields) && ('thinking_config' in fields || 'thinkingConfig' in fields),
  );
}

/**
 * The reasoning effort that a request itself names, in any dialect's field. Null: it names one that
 * is no level, such as a number of tokens. Undefined: it names none.
 */
export function askedEffort(chat: ChatRequest): ReasoningEffort | null | undefined {
  const { reasoning_effort: effort } = chat;
  if (effort !== null && effort !== undefined) return effortOf(effort);
  const reasoning = chat['reasoning'];
  if (isObject(reasoning) && ('effort' in reasoning || 'max_tokens' in reasoning))
    return effortOf(reasoning['effort']);
  if (isObject(reasoning) && 'enabled' in reasoning) return reasoning['enabled'] ? null : 'none';
  const thinking = chat['thinking'];
  if (isObject(thinking)) return thinking['type'] === 'disabled' ? 'none' : null;
  return asksGoogle(chat) ? null : undefined;
}
