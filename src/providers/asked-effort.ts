import { type ChatRequest, effortOf, effortOfBudget, type ReasoningEffort } from '../completion.js';
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
  if (chat['enable_thinking'] === false) return 'none';
  return asksGoogle(chat) ? null : undefined;
}

/** As `askedEffort`, with the effort that a number of tokens comes close to. */
export function nearestEffort(chat: ChatRequest): ReasoningEffort | null | undefined {
  const { reasoning, thinking } = chat;
  const budget = isObject(reasoning) ? reasoning['max_tokens'] : undefined;
  return (
    askedEffort(chat) ??
    effortOfBudget(budget ?? (isObject(thinking) ? thinking['budget_tokens'] : null))
  );
}
