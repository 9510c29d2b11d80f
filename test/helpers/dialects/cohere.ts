import type { Finish, FullAnswer, Meaning } from '../steps.js';
import { type Dialect, type Frame, halves, sse, usualStatus } from './dialect.js';

const finishReasons: Record<Finish, string> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  content_filter: 'ERROR_TOXIC',
};

/** Cohere bills fewer tokens than it counts where it adds some; `tokens` is the count. */
const usageOf = (answer: FullAnswer) =>
  answer.usage && {
    billed_units: { input_tokens: answer.usage.prompt, output_tokens: answer.usage.completion },
    tokens: {
      input_tokens: answer.usage.prompt,
      output_tokens: answer.usage.completion,
      ...(answer.usage.reasoning > 0 ? { reasoning_tokens: answer.usage.reasoning } : {}),
    },
    cached_tokens: answer.usage.cached,
  };

const event = (kind: Frame['kind'], type: string, fields: object): Frame => ({
  kind,
  bytes: sse({ type, ...fields }, type),
});

function contentBlock(index: number, type: 'thinking' | 'text', pieces: string[]): Frame[] {
  if (pieces.length === 0) return [];
  const content = (fields: object): object => ({ index, delta: { message: { content: fields } } });
  return [
    event('open', 'content-start', content({ type, [type]: '' })),
    ...pieces.map((piece) => event('content', 'content-delta', content({ [type]: piece }))),
    event('content', 'content-end', { index }),
  ];
}

function toolFrames(answer: FullAnswer): Frame[] {
  const delta = (tool_calls: object): object => ({ delta: { message: { tool_calls } } });
  return answer.toolCalls.flatMap((call, index) => [
    event('content', 'tool-call-start', {
      index,
      ...delta({ id: call.id, type: 'function', function: { name: call.name, arguments: '' } }),
    }),
    ...halves(call.arguments).map((piece) =>
      event('content', 'tool-call-delta', { index, ...delta({ function: { arguments: piece } }) }),
    ),
    event('content', 'tool-call-end', { index }),
  ]);
}

function frames(answer: FullAnswer): Frame[] {
  const usage = usageOf(answer);
  return [
    event('open', 'message-start', {
      id: 'cohere-test',
      delta: {
        message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] },
      },
    }),
    ...contentBlock(0, 'thinking', answer.reasoning),
    ...contentBlock(answer.reasoning.length > 0 ? 1 : 0, 'text', answer.text),
    ...toolFrames(answer),
    event('end', 'message-end', {
      delta: { finish_reason: finishReasons[answer.finish], ...(usage ? { usage } : {}) },
    }),
    { kind: 'end', bytes: sse('[DONE]') },
  ];
}

function json(answer: FullAnswer): unknown {
  const usage = usageOf(answer);
  const content = [
    ...(answer.reasoning.length > 0
      ? [{ type: 'thinking', thinking: answer.reasoning.join('') }]
      : []),
    ...(answer.text.length > 0 ? [{ type: 'text', text: answer.text.join('') }] : []),
  ];
  const tool_calls = answer.toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const message = {
    role: 'assistant',
    ...(content.length > 0 ? { content } : {}),
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
  return {
    id: 'cohere-test',
    message,
    finish_reason: finishReasons[answer.finish],
    ...(usage ? { usage } : {}),
  };
}

const failed: Partial<Record<Meaning, string>> = { content_filter: 'ERROR_TOXIC' };

/**
 * Cohere's v2 chat. Inside a stream an error has no code of its own: it is a finish reason with a
 * message.
 */
export const cohere: Dialect = {
  name: 'cohere',
  streamType: 'text/event-stream',
  matches: (path) => /\/(v2\/)?chat$/.test(path),
  wantsStream: (asked) => asked.body['stream'] === true,
  frames,
  json,
  error: (meaning, message) => ({
    status: usualStatus[meaning],
    body: { id: 'cohere-test', message },
  }),
  errorFrame: (meaning, message) =>
    sse(
      { type: 'message-end', delta: { finish_reason: failed[meaning] ?? 'ERROR', error: message } },
      'message-end',
    ),
};
