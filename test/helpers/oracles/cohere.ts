import { at, has, listAt, numberAt, textAt } from '../json.js';
import type { Finish } from '../steps.js';
import { type Expected, nothing, type Oracle, toolCall } from './oracle.js';

const finishes: Record<string, Finish> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
};

function readUsage(usage: unknown): Expected['usage'] {
  return {
    // images are counted beside the text
    prompt: numberAt(usage, 'tokens', 'input_tokens') + numberAt(usage, 'tokens', 'image_tokens'),
    completion: numberAt(usage, 'tokens', 'output_tokens'),
    cached: numberAt(usage, 'cached_tokens'),
    reasoning: numberAt(usage, 'tokens', 'reasoning_tokens'),
  };
}

/** Cohere's v2 chat. The plan for its tools is reasoning, as Cohere describes it. */
export const readCohere: Oracle = (events, streamed) => {
  const expected = nothing();
  const calls: { name: string; args: string }[] = [];
  for (const event of events) {
    const end = streamed ? at(event, 'delta') : event;
    const message = at(end, 'message');
    const content = at(message, 'content');
    for (const part of Array.isArray(content) ? content : [content]) {
      expected.text += textAt(part, 'text');
      expected.reasoning += textAt(part, 'thinking');
    }
    expected.reasoning += textAt(message, 'tool_plan');
    const call = at(message, 'tool_calls');
    if (Array.isArray(call))
      for (const whole of listAt(message, 'tool_calls'))
        calls.push({
          name: textAt(whole, 'function', 'name'),
          args: textAt(whole, 'function', 'arguments'),
        });
    else if (textAt(event, 'type') === 'tool-call-start')
      calls.push({
        name: textAt(call, 'function', 'name'),
        args: textAt(call, 'function', 'arguments'),
      });
    else if (call && calls.length > 0)
      calls[calls.length - 1]!.args += textAt(call, 'function', 'arguments');
    if (has(end, 'usage')) expected.usage = readUsage(at(end, 'usage'));
    const reason = textAt(end, 'finish_reason');
    expected.finish = finishes[reason] ?? expected.finish;
    if (reason === 'ERROR') expected.error = { status: 500 };
  }
  expected.toolCalls = calls.map((call) => toolCall(call.name, call.args));
  return expected;
};
