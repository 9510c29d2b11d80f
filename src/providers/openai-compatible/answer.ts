import type { Completion, CompletionChoice } from '../../completion.js';
import type { GatewayError } from '../../errors.js';
import type { CompletionAnswer } from '../adapter.js';
import { unreadable } from '../failure.js';
import { parseJson } from '../json.js';
import { isObject } from '../../text/is-object.js';
import { errorIn, openAIFailureUnder200 } from './failure.js';
import { readFinishReason } from './finish-reason.js';
import { mendCalls } from './tool-calls.js';
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
  const choices = completion.choices.filter(isObject);
  let rewritten = choices.length < completion.choices.length;
  completion.choices = choices;
  let unknownFinish: string | undefined;
  for (const choice of choices) {
    const finish = mendChoice(provider, choice);
    unknownFinish ??= finish.unknown;
    rewritten ||= finish.rewritten;
  }
  const usage = readOpenAIUsage(completion.usage);
  return { completion, usage, rewritten, ...(unknownFinish ? { unknownFinish } : {}) };
}

/** Corrects a choice in place, so that every client can read it. */
function mendChoice(
  provider: string,
  choice: CompletionChoice,
): { rewritten: boolean; unknown?: string | undefined } {
  let rewritten = false;
  if (!isObject(choice.message)) {
    // Azure omits the message when its content filter intervenes; some servers call it `delta`
    const { delta } = choice;
    choice.message = { role: 'assistant', content: null, ...(isObject(delta) ? delta : {}) };
    rewritten = true;
  }
  const { message } = choice;
  if (Array.isArray(message.content)) {
    splitContentParts(message);
    rewritten = true;
  }
  if (mendCalls(message)) rewritten = true;
  const hasCalls = (message.tool_calls?.length ?? 0) > 0;
  const { reason, unknown } = readFinishReason(provider, choice.finish_reason, hasCalls);
  // clients expect the field, whether or not there is a reason
  if (reason !== choice.finish_reason) {
    choice.finish_reason = reason;
    rewritten = true;
  }
  return { rewritten, unknown };
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

const notACompletion = (provider: string): GatewayError =>
  unreadable(provider, 'the body is not a completion');
