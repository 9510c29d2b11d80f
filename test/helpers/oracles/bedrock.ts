import { at, has, listAt, numberAt, textAt } from '../json.js';
import type { Finish } from '../steps.js';
import { lastWith, nothing, type Oracle, toolCall } from './oracle.js';

const finishes: Record<string, Finish> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};
const statuses: Record<string, number> = {
  throttlingException: 429,
  serviceUnavailableException: 503,
  modelStreamErrorException: 424,
  validationException: 400,
  internalServerException: 500,
  modelTimeoutException: 408,
};

/** The blocks of the whole message, put together of a stream's deltas. */
function blocksOf(events: unknown[]): unknown[] {
  const blocks: Record<string, unknown>[] = [];
  for (const event of events) {
    const index =
      numberAt(event, 'contentBlockStart', 'contentBlockIndex') ||
      numberAt(event, 'contentBlockDelta', 'contentBlockIndex');
    if (has(event, 'contentBlockStart'))
      blocks[index] = { ...(at(event, 'contentBlockStart', 'start') as object), json: '' };
    if (!has(event, 'contentBlockDelta')) continue;
    const delta = at(event, 'contentBlockDelta', 'delta');
    const block = (blocks[index] ??= { json: '' });
    block['text'] = textAt(block, 'text') + textAt(delta, 'text');
    block['thought'] = textAt(block, 'thought') + textAt(delta, 'reasoningContent', 'text');
    block['json'] = textAt(block, 'json') + textAt(delta, 'toolUse', 'input');
  }
  return blocks;
}

function readUsage(events: unknown[]): ReturnType<Oracle>['usage'] {
  const usage =
    at(lastWith(events, 'metadata', 'usage'), 'metadata', 'usage') ??
    at(lastWith(events, 'usage'), 'usage');
  if (!usage) return null;
  const cached = numberAt(usage, 'cacheReadInputTokens');
  return {
    prompt: numberAt(usage, 'inputTokens') + cached + numberAt(usage, 'cacheWriteInputTokens'),
    completion: numberAt(usage, 'outputTokens'),
    cached,
    reasoning: 0,
  };
}

/**
 * AWS Bedrock's Converse. An event of a stream is `{<event type>: payload}`, an exception
 * `{exception: <type>}`.
 * Tools that Bedrock itself runs (`server_tool_use`) are not the client's calls.
 */
export const readBedrock: Oracle = (events, streamed) => {
  const expected = nothing();
  const blocks = streamed
    ? blocksOf(events)
    : events.flatMap((event) => listAt(event, 'output', 'message', 'content'));
  for (const block of blocks) {
    expected.text += textAt(block, 'text');
    for (const cited of listAt(block, 'citationsContent', 'content'))
      expected.text += textAt(cited, 'text');
    expected.reasoning +=
      textAt(block, 'thought') || textAt(block, 'reasoningContent', 'reasoningText', 'text');
    if (!has(block, 'toolUse') || textAt(block, 'toolUse', 'type') === 'server_tool_use') continue;
    expected.toolCalls.push(
      toolCall(
        textAt(block, 'toolUse', 'name'),
        textAt(block, 'json') || at(block, 'toolUse', 'input'),
      ),
    );
  }
  for (const event of events) {
    expected.finish =
      finishes[textAt(event, 'messageStop', 'stopReason') || textAt(event, 'stopReason')] ??
      expected.finish;
    if (has(event, 'exception'))
      expected.error = { status: statuses[textAt(event, 'exception')] ?? 500 };
  }
  expected.usage = readUsage(events);
  return expected;
};
