import { at, listAt, numberAt, textAt } from '../json.js';
import type { Finish } from '../steps.js';
import { nothing, type Oracle, toolCall } from './oracle.js';

const finishes: Record<string, Finish> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};
const statuses: Record<string, number> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  invalid_request_error: 400,
  request_too_large: 413,
};

/** Content blocks as the whole message would hold them. */
function blocksOf(events: unknown[]): Record<string, unknown>[] {
  const blocks: Record<string, unknown>[] = [];
  for (const event of events) {
    const index = numberAt(event, 'index');
    if (textAt(event, 'type') === 'content_block_start')
      blocks[index] = { ...(at(event, 'content_block') as object), json: '' };
    if (textAt(event, 'type') !== 'content_block_delta') continue;
    const block = (blocks[index] ??= {});
    block['text'] = textAt(block, 'text') + textAt(event, 'delta', 'text');
    block['thinking'] = textAt(block, 'thinking') + textAt(event, 'delta', 'thinking');
    block['json'] = textAt(block, 'json') + textAt(event, 'delta', 'partial_json');
  }
  return blocks;
}

/**
 * Anthropic's Messages. Tools that the provider itself runs (`server_tool_use`, MCP) are not the
 * client's calls.
 */
export const readAnthropic: Oracle = (events, streamed) => {
  const expected = nothing();
  const blocks = streamed ? blocksOf(events) : events.flatMap((event) => listAt(event, 'content'));
  for (const block of blocks) {
    const type = textAt(block, 'type');
    if (type === 'text') expected.text += textAt(block, 'text');
    if (type === 'thinking') expected.reasoning += textAt(block, 'thinking');
    if (type === 'tool_use')
      expected.toolCalls.push(
        toolCall(textAt(block, 'name'), textAt(block, 'json') || at(block, 'input')),
      );
  }
  const usage: Record<string, unknown> = {};
  for (const event of events) {
    Object.assign(usage, at(event, 'message', 'usage'), at(event, 'usage'));
    expected.finish =
      finishes[textAt(event, 'delta', 'stop_reason') || textAt(event, 'stop_reason')] ??
      expected.finish;
    expected.refusal +=
      textAt(event, 'delta', 'stop_details', 'explanation') ||
      textAt(event, 'stop_details', 'explanation');
    if (textAt(event, 'type') === 'error')
      expected.error = { status: statuses[textAt(event, 'error', 'type')] ?? 500 };
  }
  if (Object.keys(usage).length > 0) {
    const cached = numberAt(usage, 'cache_read_input_tokens');
    expected.usage = {
      prompt:
        numberAt(usage, 'input_tokens') + cached + numberAt(usage, 'cache_creation_input_tokens'),
      completion: numberAt(usage, 'output_tokens'),
      cached,
      reasoning: numberAt(usage, 'output_tokens_details', 'thinking_tokens'),
    };
  }
  return expected;
};
