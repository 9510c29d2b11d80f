import { at, has, listAt, numberAt, textAt } from '../json.js';
import { type Expected, lastWith, nothing, type Oracle, toolCall } from './oracle.js';

function readItem(item: unknown, expected: Expected): void {
  if (textAt(item, 'type') === 'function_call')
    expected.toolCalls.push(toolCall(textAt(item, 'name'), at(item, 'arguments')));
  if (textAt(item, 'type') === 'reasoning') {
    for (const part of [...listAt(item, 'summary'), ...listAt(item, 'content')])
      expected.reasoning += textAt(part, 'text');
  }
  if (textAt(item, 'type') !== 'message') return;
  for (const part of listAt(item, 'content')) {
    expected.text += textAt(part, 'text');
    expected.refusal += textAt(part, 'refusal');
  }
}

function readUsage(usage: unknown): Expected['usage'] {
  return {
    prompt: numberAt(usage, 'input_tokens'),
    completion: numberAt(usage, 'output_tokens'),
    cached: numberAt(usage, 'input_tokens_details', 'cached_tokens'),
    reasoning: numberAt(usage, 'output_tokens_details', 'reasoning_tokens'),
  };
}

const statuses: Record<string, number> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  invalid_prompt: 400,
  invalid_image_url: 400,
  invalid_image_format: 400,
};

/**
 * An error is told by an event of its own, by the response that failed, or by both; the last word
 * counts.
 */
function readError(events: unknown[], whole: unknown): Expected['error'] {
  const told = events.findLast((event) => textAt(event, 'type') === 'error');
  const code =
    textAt(whole, 'error', 'code') || textAt(told, 'error', 'code') || textAt(told, 'code');
  const failed = told !== undefined || textAt(whole, 'status') === 'failed' || has(whole, 'error');
  return failed ? { status: statuses[code] ?? 500 } : null;
}

/** OpenAI's Responses: the items that were finished, and what the last event says of the whole. */
export const readOpenaiResponses: Oracle = (events, streamed) => {
  const expected = nothing();
  const items = streamed
    ? events
        .filter((event) => textAt(event, 'type') === 'response.output_item.done')
        .map((event) => at(event, 'item'))
    : events.flatMap((event) => listAt(event, 'output'));
  for (const item of items) readItem(item, expected);
  const whole = streamed ? at(lastWith(events, 'response'), 'response') : events[0];
  const reason = textAt(whole, 'incomplete_details', 'reason');
  if (reason !== '') expected.finish = reason === 'content_filter' ? 'content_filter' : 'length';
  else if (textAt(whole, 'status') === 'completed')
    expected.finish = expected.toolCalls.length > 0 ? 'tool_calls' : 'stop';
  if (has(whole, 'usage', 'input_tokens')) expected.usage = readUsage(at(whole, 'usage'));
  expected.error = readError(events, whole);
  return expected;
};
