import { at, has, listAt, numberAt, textAt } from '../json.js';
import type { Finish } from '../steps.js';
import { type Expected, lastWith, nothing, type Oracle, toolCall } from './oracle.js';

const finishes: Record<string, Finish> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

/** Mistral's reasoning models answer with an array of parts. */
function readContent(content: unknown, into: Expected): void {
  if (typeof content === 'string') into.text += content;
  for (const part of listAt({ content }, 'content')) {
    if (textAt(part, 'type') === 'text') into.text += textAt(part, 'text');
    for (const thought of listAt(part, 'thinking')) into.reasoning += textAt(thought, 'text');
  }
}

function readCalls(messages: unknown[]): Expected['toolCalls'] {
  const calls: { key: number; id: string; name: string; args: string }[] = [];
  for (const message of messages) {
    listAt(message, 'tool_calls').forEach((delta, position) => {
      const key = has(delta, 'index') ? numberAt(delta, 'index') : position;
      const id = textAt(delta, 'id');
      let call = calls.findLast((known) => known.key === key);
      // one index for several calls: the id tells them apart
      if (!call || (id !== '' && call.id !== '' && call.id !== id))
        calls.push((call = { key, id, name: '', args: '' }));
      call.name ||= textAt(delta, 'function', 'name');
      call.args += textAt(delta, 'function', 'arguments');
    });
  }
  return calls.map((call) => toolCall(call.name, call.args));
}

function readUsage(events: unknown[]): Expected['usage'] {
  const usage =
    at(lastWith(events, 'usage', 'prompt_tokens'), 'usage') ??
    at(lastWith(events, 'x_groq', 'usage'), 'x_groq', 'usage');
  if (!usage) return null;
  const reasoning = numberAt(usage, 'completion_tokens_details', 'reasoning_tokens');
  const prompt = numberAt(usage, 'prompt_tokens');
  const completion = numberAt(usage, 'completion_tokens');
  // xAI counts reasoning beside the completion; its total gives it away
  const beside =
    reasoning > 0 && numberAt(usage, 'total_tokens') === prompt + completion + reasoning;
  const cached =
    numberAt(usage, 'prompt_tokens_details', 'cached_tokens') ||
    numberAt(usage, 'prompt_cache_hit_tokens') ||
    numberAt(usage, 'cached_tokens');
  return { prompt, completion: beside ? completion + reasoning : completion, cached, reasoning };
}

function readError(events: unknown[]): Expected['error'] {
  const error = at(lastWith(events, 'error'), 'error');
  if (!error) return null;
  const named: Record<string, number> = {
    content_filter: 400,
    invalid_request_error: 400,
    rate_limit_exceeded: 429,
    overloaded: 503,
  };
  const status =
    numberAt(error, 'status_code') || numberAt(error, 'status') || numberAt(error, 'code');
  return { status: status || named[textAt(error, 'code')] || named[textAt(error, 'type')] || 500 };
}

/** OpenAI's chat completions and those who speak them; the first choice only. */
export const readOpenaiChat: Oracle = (events, streamed) => {
  const expected = nothing();
  const choices = events
    .flatMap((event) => listAt(event, 'choices'))
    .filter((choice) => numberAt(choice, 'index') === 0);
  // Perplexity sends both, and one of them is empty or a repetition
  const messages = choices.map((choice) => at(choice, streamed ? 'delta' : 'message'));
  for (const message of messages) {
    readContent(at(message, 'content'), expected);
    expected.reasoning += textAt(message, 'reasoning_content') || textAt(message, 'reasoning');
    expected.refusal += textAt(message, 'refusal');
  }
  expected.toolCalls = readCalls(messages);
  expected.finish = finishes[textAt(lastWith(choices, 'finish_reason'), 'finish_reason')] ?? null;
  expected.usage = readUsage(events);
  expected.error = readError(events);
  return expected;
};
