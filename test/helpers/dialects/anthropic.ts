import { textAt, tryJson } from '../json.js';
import type { Finish, FullAnswer, Meaning } from '../steps.js';
import { type Asked, type Dialect, type Frame, halves, sse, usualStatus } from './dialect.js';

const types: Record<Meaning, string> = {
  overloaded: 'overloaded_error',
  rate_limited: 'rate_limit_error',
  auth: 'authentication_error',
  bad_request: 'invalid_request_error',
  not_found: 'not_found_error',
  server_error: 'api_error',
  content_filter: 'invalid_request_error',
};
const stopReasons: Record<Finish, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

const errorBody = (meaning: Meaning, message: string) => ({
  type: 'error',
  error: { type: types[meaning], message },
  request_id: 'req_test',
});

/** Anthropic counts cached tokens beside `input_tokens`, not in them. */
const inputUsage = (answer: FullAnswer) => ({
  input_tokens:
    (answer.usage?.prompt ?? 0) - (answer.usage?.cached ?? 0) - (answer.usage?.cacheWritten ?? 0),
  cache_creation_input_tokens: answer.usage?.cacheWritten ?? 0,
  cache_read_input_tokens: answer.usage?.cached ?? 0,
});

const event = (kind: Frame['kind'], type: string, fields: object = {}): Frame => ({
  kind,
  bytes: sse({ type, ...fields }, type),
});

function block(index: number, start: object, deltas: object[]): Frame[] {
  return [
    event('open', 'content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content', 'content_block_delta', { index, delta })),
    event('content', 'content_block_stop', { index }),
  ];
}

function blocks(answer: FullAnswer): ((index: number) => Frame[])[] {
  const made: ((index: number) => Frame[])[] = [];
  if (answer.reasoning.length > 0) {
    const thinking = answer.reasoning.map((piece) => ({ type: 'thinking_delta', thinking: piece }));
    made.push((i) =>
      block(i, { type: 'thinking', thinking: '', signature: '' }, [
        ...thinking,
        { type: 'signature_delta', signature: 'c2lnbmVk' },
      ]),
    );
  }
  if (answer.text.length > 0) {
    made.push((i) =>
      block(
        i,
        { type: 'text', text: '' },
        answer.text.map((piece) => ({ type: 'text_delta', text: piece })),
      ),
    );
  }
  for (const call of answer.toolCalls) {
    const pieces = halves(call.arguments).map((piece) => ({
      type: 'input_json_delta',
      partial_json: piece,
    }));
    made.push((i) =>
      block(i, { type: 'tool_use', id: call.id, name: call.name, input: {} }, pieces),
    );
  }
  return made;
}

function frames(answer: FullAnswer, asked: Asked): Frame[] {
  const message = {
    id: `msg_${answer.id}`,
    type: 'message',
    role: 'assistant',
    model: textAt(asked.body, 'model'),
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  const opened = answer.usage
    ? { ...message, usage: { ...inputUsage(answer), output_tokens: 1 } }
    : message;
  const usage = answer.usage ? { usage: { output_tokens: answer.usage.completion } } : {};
  return [
    event('open', 'message_start', { message: opened }),
    event('open', 'ping'),
    ...blocks(answer).flatMap((make, index) => make(index)),
    event('finish', 'message_delta', {
      delta: { stop_reason: stopReasons[answer.finish], stop_sequence: null },
      ...usage,
    }),
    event('end', 'message_stop'),
  ];
}

function json(answer: FullAnswer, asked: Asked): unknown {
  const content = [
    ...(answer.reasoning.length > 0
      ? [{ type: 'thinking', thinking: answer.reasoning.join(''), signature: 'c2lnbmVk' }]
      : []),
    ...(answer.text.length > 0 ? [{ type: 'text', text: answer.text.join('') }] : []),
    ...answer.toolCalls.map((call) => ({
      type: 'tool_use',
      id: call.id,
      name: call.name,
      input: tryJson(call.arguments) ?? {},
    })),
  ];
  const usage = answer.usage
    ? { usage: { ...inputUsage(answer), output_tokens: answer.usage.completion } }
    : {};
  return {
    id: `msg_${answer.id}`,
    type: 'message',
    role: 'assistant',
    model: textAt(asked.body, 'model'),
    content,
    stop_reason: stopReasons[answer.finish],
    stop_sequence: null,
    ...usage,
  };
}

/** Anthropic's Messages. */
export const anthropic: Dialect = {
  name: 'anthropic',
  streamType: 'text/event-stream; charset=utf-8',
  matches: (path) => path.endsWith('/messages'),
  wantsStream: (asked) => asked.body['stream'] === true,
  frames,
  json,
  error: (meaning, message) => ({
    status: meaning === 'overloaded' ? 529 : usualStatus[meaning],
    body: errorBody(meaning, message),
  }),
  errorFrame: (meaning, message) => sse(errorBody(meaning, message), 'error'),
};
