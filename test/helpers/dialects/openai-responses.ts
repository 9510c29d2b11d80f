import { at, listAt, textAt, tryJson } from '../json.js';
import type { FullAnswer } from '../steps.js';
import { type Asked, type Dialect, type Frame, halves, sse } from './dialect.js';
import { openaiChat } from './openai-chat.js';

interface Item {
  item: Record<string, unknown>;
  deltas: { type: string; delta: string }[];
}

/** Whether a request offers a tool as a `custom` one, which takes a text: also in a namespace. */
const isCustom = (asked: Asked, name: string): boolean =>
  [asked.body, ...listAt(asked.body, 'input')]
    .flatMap((holder) => listAt(holder, 'tools'))
    .flatMap((tool) => [tool, ...listAt(tool, 'tools')])
    .some((tool) => at(tool, 'type') === 'custom' && at(tool, 'name') === name);

/** The argument `input` of a call is the whole text for a custom tool. */
function callItem(call: FullAnswer['toolCalls'][number], asked: Asked): Item {
  const custom = isCustom(asked, call.name);
  const field = custom ? 'input' : 'arguments';
  const text = custom ? textAt(tryJson(call.arguments), 'input') : call.arguments;
  return {
    item: {
      id: `${custom ? 'ctc' : 'fc'}_${call.id}`,
      type: custom ? 'custom_tool_call' : 'function_call',
      status: 'completed',
      call_id: call.id,
      name: call.name,
      [field]: text,
    },
    deltas: halves(text).map((delta) => ({
      type: `response.${custom ? 'custom_tool_call_input' : 'function_call_arguments'}.delta`,
      delta,
    })),
  };
}

function items(answer: FullAnswer, asked: Asked): Item[] {
  const isCompaction = textAt(listAt(asked.body, 'input').at(-1), 'type') === 'compaction_trigger';
  if (isCompaction) {
    const encrypted_content = Buffer.from(answer.text.join('')).toString('base64');
    return [
      { item: { id: `cmp_${answer.id}`, type: 'compaction', encrypted_content }, deltas: [] },
    ];
  }
  const made: Item[] = [];
  if (answer.reasoning.length > 0) {
    made.push({
      item: {
        id: `rs_${answer.id}`,
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: answer.reasoning.join('') }],
      },
      deltas: answer.reasoning.map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        delta,
      })),
    });
  }
  if (answer.text.length > 0) {
    made.push({
      item: {
        id: `msg_${answer.id}`,
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: answer.text.join(''), annotations: [] }],
      },
      deltas: answer.text.map((delta) => ({ type: 'response.output_text.delta', delta })),
    });
  }
  made.push(...answer.toolCalls.map((call) => callItem(call, asked)));
  return made;
}

function response(answer: FullAnswer, asked: Asked, done: boolean): object {
  const incomplete = {
    length: 'max_output_tokens',
    content_filter: 'content_filter',
    stop: null,
    tool_calls: null,
  }[answer.finish];
  const usage = answer.usage && {
    input_tokens: answer.usage.prompt,
    input_tokens_details: { cached_tokens: answer.usage.cached },
    output_tokens: answer.usage.completion,
    output_tokens_details: { reasoning_tokens: answer.usage.reasoning },
    total_tokens: answer.usage.prompt + answer.usage.completion,
  };
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: 1_700_000_000,
    model: textAt(asked.body, 'model'),
    error: null,
    status: done ? (incomplete ? 'incomplete' : 'completed') : 'in_progress',
    incomplete_details: done && incomplete ? { reason: incomplete } : null,
    output: done ? items(answer, asked).map(({ item }) => item) : [],
    usage: done ? usage : null,
  };
}

function frames(answer: FullAnswer, asked: Asked): Frame[] {
  let sequence_number = 0;
  const event = (kind: Frame['kind'], type: string, fields: object): Frame => ({
    kind,
    bytes: sse({ type, sequence_number: sequence_number++, ...fields }, type),
  });
  const made = [event('open', 'response.created', { response: response(answer, asked, false) })];
  items(answer, asked).forEach(({ item, deltas }, output_index) => {
    made.push(
      event('open', 'response.output_item.added', {
        output_index,
        item: {
          ...item,
          status: 'in_progress',
          ...(item['arguments'] ? { arguments: '' } : {}),
          ...(item['input'] ? { input: '' } : {}),
        },
      }),
    );
    for (const { type, delta } of deltas)
      made.push(
        event('content', type, { output_index, item_id: item['id'], content_index: 0, delta }),
      );
    made.push(event('content', 'response.output_item.done', { output_index, item }));
  });
  const last =
    answer.finish === 'length' || answer.finish === 'content_filter'
      ? 'response.incomplete'
      : 'response.completed';
  return [...made, event('end', last, { response: response(answer, asked, true) })];
}

/**
 * OpenAI's Responses. A request that ends in a `compaction_trigger` gets the answer's text as one
 * `compaction` item. Its errors are the chat dialect's, under other names inside a stream. */
export const openaiResponses: Dialect = {
  name: 'openai-responses',
  streamType: 'text/event-stream; charset=utf-8',
  matches: (path) => path.endsWith('/responses'),
  wantsStream: (asked) => asked.body['stream'] === true,
  frames,
  json: (answer, asked) => response(answer, asked, true),
  error: openaiChat.error,
  errorFrame: (meaning, message) =>
    sse(
      {
        type: 'error',
        code: meaning === 'rate_limited' ? 'rate_limit_exceeded' : 'server_error',
        message,
        param: null,
      },
      'error',
    ),
};
