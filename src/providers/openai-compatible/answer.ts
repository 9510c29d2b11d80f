import type { Completion } from '../../completion.js';
import type { GatewayError } from '../../errors.js';
import type { CompletionAnswer } from '../adapter.js';
import { unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { errorIn, openAIFailureUnder200 } from './failure.js';
import { readOpenAIUsage } from './usage.js';

/**
 * Reads a whole chat completion.
 * @throws GatewayError for an error sent with status 200, or `unreadable_answer`
 */
export function readOpenAICompletion(provider: string, body: string): CompletionAnswer {
  const completion = parseJson(body) as Completion | null;
  if (typeof completion !== 'object' || completion === null) throw notACompletion(provider);
  const error = errorIn(completion);
  if (error !== null) throw openAIFailureUnder200(provider, error);
  if (!Array.isArray(completion.choices)) throw notACompletion(provider);
  let rewritten = false;
  for (const choice of completion.choices) {
    const isMissing = typeof choice.message !== 'object' || (choice.message as unknown) === null;
    // Azure omits the message when its content filter intervenes
    if (isMissing) choice.message = { role: 'assistant', content: null };
    const isInParts = Array.isArray(choice.message.content);
    if (isInParts) splitContentParts(choice.message);
    rewritten ||= isMissing || isInParts;
  }
  return { completion, usage: readOpenAIUsage(completion.usage), rewritten };
}

interface MistralPart {
  type?: string;
  text?: string;
  thinking?: { text?: string }[] | string;
}

/**
 * Splits the content of Mistral's reasoning models, a list of text and thinking parts, into text
 * and reasoning, in place.
 */
export function splitContentParts(message: {
  content?: unknown;
  reasoning_content?: string | null;
}): void {
  let text = '';
  let reasoning = '';
  for (const part of message.content as MistralPart[]) {
    if (part.type === 'text') text += part.text ?? '';
    else if (typeof part.thinking === 'string') reasoning += part.thinking;
    else if (Array.isArray(part.thinking))
      reasoning += part.thinking.map((piece) => piece.text ?? '').join('');
  }
  message.content = text;
  if (reasoning) message.reasoning_content = reasoning;
}

function notACompletion(provider: string): GatewayError {
  return unreadable(provider, 'the body is not a completion');
}
