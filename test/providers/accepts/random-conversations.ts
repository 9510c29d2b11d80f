import fc from 'fast-check';
import type { ChatMessage, ChatRequest, ToolCall } from '../../../src/completion.js';
import { foreignTurns, oddImages, responsesImage } from './conversations.js';

/** Half characters, marks of templates, and what JSON and HTML escape. */
const oddPiece = fc.constantFrom(
  ...[
    '\ud83d',
    '\udc4d',
    '👍',
    '\u0000',
    '\u2028',
    '"',
    '\\',
    '</s>',
    '[INST]',
    '<|im_end|>',
    '\r\n',
  ],
  ...['e\u0301', '\ufeff', '\u202e', '{{', ' ', 'word'],
);
const text = fc
  .array(oddPiece, { minLength: 1, maxLength: 4 })
  .map((pieces) => `${pieces.join('')} said`);
const maybeText = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: fc.constant('') },
);

const id = fc.oneof(
  fc.constantFrom('', 'toolu_01A09q90qw90lq917835lq9', 'functions.get:0', 'a.b/c d', 'é', 'call_1'),
  fc.string({ minLength: 1, maxLength: 300 }),
);
/** No odd number of this size is a floating-point one. */
const longNumber = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }).map((number) => number | 1n);
const args = fc.oneof(
  fc.constantFrom('', '{}', '{"a":[1,{"b":null}]}'),
  longNumber.map((number) => `{"id":${number}}`),
  text.map((city) => JSON.stringify({ city })),
);

const parts = fc.array(
  fc.oneof(
    maybeText.map((said) => ({ type: 'text', text: said })),
    text.map((said) => ({ type: 'text', text: said, cache_control: { type: 'ephemeral' } })),
    fc.constantFrom(...oddImages).map((image_url) => ({
      type: 'image_url',
      image_url: image_url as { url: string },
    })),
    text.map((said) => ({ type: 'input_text', text: said })),
    fc.constant(responsesImage),
  ),
  { minLength: 1, maxLength: 3 },
);

const foreignFields = fc.record(
  {
    reasoning_content: fc.oneof(text, fc.constant(null)),
    reasoning: text,
    reasoning_details: fc.constantFrom<unknown[]>(
      [{ type: 'reasoning.text', text: 'hm', format: 'anthropic-claude-v1', signature: 'c2ln' }],
      [{ type: 'reasoning.encrypted', data: 'x', format: 'google-gemini-v1' }],
      [],
    ),
    annotations: fc.constantFrom([], null),
    extra_content: fc.constant({ google: { thought_signature: 'x' } }),
    refusal: fc.constant(null),
    audio: fc.constant(null),
    function_call: fc.constant(null),
    cache_control: fc.constant({ type: 'ephemeral' }),
    name: fc.constant('Ada'),
  },
  { requiredKeys: [] },
);

interface Called {
  id: string;
  args: string;
  result: ChatMessage['content'];
}
const called: fc.Arbitrary<Called> = fc.record({
  id,
  args,
  result: fc.oneof(
    maybeText,
    parts,
    fc.constant('{"$ref":"#/$defs/a","$defs":{"a":{}}}'),
    longNumber.map((number) => `{"id":${number}}`),
  ),
});

/**
 * The turn of an assistant that calls tools, with their results: some in another order, some missing
 * because the user broke it off.
 */
const toolTurn = fc
  .tuple(
    fc.array(called, { minLength: 1, maxLength: 3 }),
    foreignFields,
    fc.boolean(),
    fc.constantFrom(0, 0, 0, 1, 3),
  )
  .map(([list, fields, turned, missing]): ChatMessage[] => {
    const calls = list.map((one): ToolCall => ({
      id: one.id,
      type: 'function',
      function: { name: 'get_weather', arguments: one.args },
    }));
    const results = list.map((one): ChatMessage => ({
      role: 'tool',
      tool_call_id: one.id,
      content: one.result,
    }));
    // results of calls with the same id can be told by their order alone
    const mayTurn = turned && new Set(list.map((one) => one.id)).size === list.length;
    return [
      { role: 'assistant', content: null, ...fields, tool_calls: calls },
      ...(mayTurn ? results.reverse() : results).slice(missing),
    ];
  });

const turn: fc.Arbitrary<ChatMessage[]> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.oneof(maybeText, parts).map((content) => [{ role: 'user', content }]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.oneof(maybeText, fc.constant(null)), foreignFields)
      .map(([content, fields]) => [{ role: 'assistant', content, ...fields }]),
  },
  { weight: 3, arbitrary: toolTurn },
  // a history that was cut in the middle: results whose calls are gone
  { weight: 1, arbitrary: toolTurn.map((messages) => messages.slice(1)) },
  { weight: 1, arbitrary: fc.nat(foreignTurns.length).map((from) => foreignTurns.slice(from)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('system', 'developer'), text)
      .map(([role, content]) => [{ role, content }]),
  },
);

const effort = fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', null);
const tools: ChatRequest['tools'] = ['get_weather', 'get_wind'].map((name, at) => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    ...(at === 0 ? { strict: true } : {}),
  },
}));
const settings = fc.record(
  {
    temperature: fc.constantFrom(0, 0.2, 1, null),
    top_p: fc.constantFrom(0.1, 1, null),
    presence_penalty: fc.constantFrom(0, 0.5),
    max_tokens: fc.constantFrom(1, 100, null),
    seed: fc.constantFrom(0, -1, 2 ** 31, 2 ** 53 - 1),
    stop: fc.array(fc.constantFrom('', 'END', '\n', 'STOP'), { maxLength: 8 }),
    reasoning_effort: effort,
    tool_choice: fc.constantFrom('auto' as const, 'required' as const, {
      type: 'function',
      function: { name: 'get_wind' },
    }),
    parallel_tool_calls: fc.boolean(),
    logprobs: fc.constantFrom(true, false, null),
    top_logprobs: fc.constantFrom(0, 3, null),
  },
  { requiredKeys: [] },
);

/** Requests with a history that several makers' models and odd clients wrote. */
export const randomRequest: fc.Arbitrary<ChatRequest> = fc
  .tuple(fc.array(turn, { maxLength: 7 }), settings, fc.boolean(), text)
  .map(([turns, more, withTools, last]) => ({
    ...more,
    ...(withTools ? { tools } : { tools: [], tool_choice: 'auto' as const }),
    messages: [...turns.flat(), { role: 'user', content: last }],
  }));
