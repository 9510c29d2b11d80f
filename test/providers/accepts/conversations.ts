import type { ChatMessage, ChatRequest, ContentPart, ToolCall } from '../../../src/completion.js';

/** A request with a history that other providers' models or odd clients wrote. */
export interface Conversation {
  readonly name: string;
  readonly request: ChatRequest;
  /** What the request for the provider must contain, as its JSON has it. */
  readonly keeps: readonly string[];
}

const user = (content: ChatMessage['content']): ChatMessage => ({ role: 'user', content });
const assistant = (content: ChatMessage['content'], more: object = {}): ChatMessage => ({
  role: 'assistant',
  content,
  ...more,
});
const callOf = (id: string, args = '{"city":"Oslo"}'): ToolCall => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: args },
});
const calls = (...ids: string[]): ChatMessage =>
  assistant(null, { tool_calls: ids.map((id) => callOf(id)) });
const result = (id: string, content: ChatMessage['content']): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
});
const tool = (name: string, more: object = {}): NonNullable<ChatRequest['tools']>[number] => ({
  type: 'function',
  function: {
    name,
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    ...more,
  },
});
const tools = [tool('get_weather')];

export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } };

/** Spellings of an address that some clients use and some providers refuse. */
export const oddImages: readonly (string | { url: string; detail?: string })[] = [
  { url: picture },
  `data:image/png;base64,${picture}`,
  { url: `data:image/png;charset=utf-8;base64,${picture}`, detail: 'low' },
  { url: `data:;base64,${picture}` },
  { url: `data:application/octet-stream;base64,${picture}` },
  { url: `data:image/jpg;base64,${picture}` },
  { url: `DATA:IMAGE/PNG;BASE64,${picture}` },
  { url: `data:image/png; base64,${picture.slice(0, 40)}\r\n ${picture.slice(40)}` },
  { url: `data:image/png;base64,data:image/png;base64,${picture}` },
  { url: `data:image/png;base64,${picture.replaceAll('+', '-').replaceAll('/', '_')}` },
];

const source = { type: 'base64', media_type: 'image/jpeg', data: picture };
/** Of Responses, where the address stands without an object around it. */
export const responsesImage: ContentPart = {
  type: 'input_image',
  ...({ image_url: `data:image/png;base64,${picture}` } as object),
};
/** Parts of the Messages API and of Responses, as clients of several APIs mix them. */
export const foreignTurns: readonly ChatMessage[] = [
  user([
    { type: 'input_text', text: 'In 1.' },
    responsesImage,
    { type: 'image', source },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Doc 1.' } },
  ]),
  assistant([
    { type: 'thinking', thinking: 'hm', signature: '' },
    { type: 'output_text', text: 'Out 1.', annotations: [] },
    { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
    { type: 'tool_use', id: 'toolu_2', name: 'get_weather', input: {} },
  ]),
  user([
    { type: 'tool_result', tool_use_id: 'toolu_2', content: 'Rain 2.' },
    {
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [
        { type: 'text', text: 'Rain 1.' },
        { type: 'image', source },
      ],
    },
    { type: 'text', text: 'And?' },
  ]),
  assistant([
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
    { type: 'text', text: 'So.' },
  ]),
  user('Last?'),
];

/** The fields that models of several makers leave on their turns. */
const foreignFields = {
  reasoning_content: 'they asked for a city',
  reasoning: 'they asked for a city',
  reasoning_details: [
    { type: 'reasoning.text', text: 'hm', signature: 'c2ln', format: 'anthropic-claude-v1' },
    { type: 'reasoning.encrypted', data: 'Z2VtaW5p', format: 'google-gemini-v1', id: 'x' },
  ],
  thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }],
  annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }],
  extra_content: { google: { thought_signature: 'c2ln' } },
  audio: { id: 'audio_1', expires_at: 1, data: '', transcript: 'x' },
  refusal: null,
  function_call: null,
  cache_control: { type: 'ephemeral' },
  provider_specific_fields: { citations: null },
  search_results: [{ url: 'https://a.example', title: 'A' }],
};

const longId = `call_${'x'.repeat(195)}`;

const inner = { type: 'object', properties: { inner: { type: 'string' } }, required: ['inner'] };
/** Schemas that strict modes refuse, in the ways that clients of other dialects write them. */
const looseSchemas: Readonly<Record<string, Record<string, unknown>>> = {
  get_open: {
    type: 'object',
    properties: { city: inner, list: { type: 'array', items: { anyOf: [inner, { $ref: '#' }] } } },
    required: ['city', 'list'],
  },
  get_optional: {
    type: 'object',
    properties: { city: inner, unit: { enum: ['Celsius'], default: 'Celsius' } },
    required: ['city'],
    additionalProperties: false,
  },
  get_either: {
    type: 'object',
    properties: { where: { oneOf: [inner, { type: 'string' }] } },
    required: ['where'],
    additionalProperties: false,
  },
  get_nothing: { type: 'object', properties: {} },
  get_any: {
    type: 'object',
    properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } },
    required: ['labels'],
  },
};

const list: readonly Conversation[] = [
  {
    name: 'instructions of the role developer, at the start and later',
    request: {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        user('First?'),
        assistant('One.'),
        { role: 'developer', content: 'From now on, be long.' },
        user('Second?'),
      ],
    },
    keeps: ['Be brief.', 'First?', 'One.', 'From now on, be long.', 'Second?'],
  },
  {
    name: 'fields of other makers on an answer',
    request: { messages: [user('First?'), assistant('One.', foreignFields), user('Second?')] },
    keeps: ['First?', 'One.', 'Second?'],
  },
  {
    name: 'fields of other makers on an answer with calls',
    request: {
      tools,
      messages: [
        user('First?'),
        assistant(null, {
          ...foreignFields,
          tool_calls: [
            {
              ...callOf('call_1'),
              index: 0,
              extra_content: { google: { thought_signature: 'c2ln' } },
            },
          ],
        }),
        { ...result('call_1', 'Rain.'), name: 'get_weather', cache_control: { type: 'ephemeral' } },
      ],
    },
    keeps: ['First?', 'Oslo', 'Rain.'],
  },
  {
    name: 'a call without the reasoning that led to it',
    request: {
      tools,
      messages: [
        user('First?'),
        calls('call_1'),
        result('call_1', 'Rain.'),
        assistant('It rains.'),
        user('And now?'),
      ],
    },
    keeps: ['First?', 'Oslo', 'Rain.', 'It rains.', 'And now?'],
  },
  {
    name: 'an empty text beside calls',
    request: {
      tools,
      messages: [user('First?'), { ...calls('call_1'), content: '' }, result('call_1', 'Rain.')],
    },
    keeps: ['First?', 'Oslo', 'Rain.'],
  },
  {
    name: 'an assistant that speaks first',
    request: { messages: [assistant('How can I help?'), user('First?')] },
    keeps: ['How can I help?', 'First?'],
  },
  {
    name: 'an assistant that speaks first, after instructions',
    request: {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        assistant([{ type: 'text', text: 'How can I help?' }]),
        user([{ type: 'text', text: 'First?' }]),
      ],
    },
    keeps: ['Be brief.', 'How can I help?', 'First?'],
  },
  {
    name: 'call ids of several forms',
    request: {
      tools,
      messages: [
        user('First?'),
        calls('toolu_01A09q90qw90lq917835lq9', longId, 'functions.get_weather:0', 'a.b/c d', 'é'),
        result('functions.get_weather:0', 'Rain 3.'),
        result('toolu_01A09q90qw90lq917835lq9', 'Rain 1.'),
        result(longId, 'Rain 2.'),
        result('a.b/c d', 'Rain 4.'),
        result('é', 'Rain 5.'),
      ],
    },
    keeps: ['Rain 1.', 'Rain 2.', 'Rain 3.', 'Rain 4.', 'Rain 5.'],
  },
  {
    name: 'call ids that are empty',
    request: {
      tools,
      messages: [
        user('First?'),
        calls('', ''),
        result('', 'Rain 1.'),
        result('', 'Rain 2.'),
        calls(''),
        result('', 'Rain 3.'),
      ],
    },
    keeps: ['Rain 1.', 'Rain 2.', 'Rain 3.'],
  },
  {
    name: 'several turns of a role in a row',
    request: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'system', content: 'Be kind.' },
        user('First?'),
        user([{ type: 'text', text: 'Second?' }, image]),
        assistant('One.'),
        assistant('Two.'),
        user('Third?'),
        user('Fourth?'),
      ],
    },
    keeps: ['Be brief.', 'Be kind.', 'First?', 'Second?', 'One.', 'Two.', 'Third?', 'Fourth?'],
  },
  {
    name: 'a user who speaks after a tool',
    request: {
      tools,
      messages: [
        user('First?'),
        calls('call_1'),
        result('call_1', 'Rain.'),
        user('Second?'),
        assistant('Two.'),
        user('Third?'),
      ],
    },
    keeps: ['Rain.', 'Second?', 'Two.', 'Third?'],
  },
  {
    name: 'results that are lists, schemas and long numbers',
    request: {
      tools,
      messages: [
        user('First?'),
        calls('call_1', 'call_2', 'call_3'),
        result('call_1', [
          { type: 'text', text: 'Rain 1.' },
          { type: 'text', text: 'Wind 1.' },
        ]),
        result('call_2', '{"$ref":"#/$defs/city","$defs":{"city":{"type":"string"}}}'),
        result('call_3', '{"id":2512292042121000001}'),
      ],
    },
    keeps: ['Rain 1.', 'Wind 1.', '$defs', '2512292042121000001'],
  },
  {
    name: 'a result with a picture',
    request: {
      tools,
      messages: [
        user('First?'),
        calls('call_1', 'call_2'),
        result('call_1', [{ type: 'text', text: 'Rain 1.' }, image]),
        result('call_2', 'Rain 2.'),
      ],
    },
    keeps: ['Rain 1.', 'Rain 2.', picture.slice(0, 20)],
  },
  {
    name: 'arguments with long numbers, and none',
    request: {
      tools,
      messages: [
        user('First?'),
        assistant('', {
          tool_calls: [callOf('call_1', '{"id":2512292042121000001}'), callOf('call_2', '')],
        }),
        result('call_1', 'Rain 1.'),
        result('call_2', ''),
      ],
    },
    keeps: ['2512292042121000001', 'Rain 1.'],
  },
  {
    name: 'a list of no tools, with choices among them',
    request: {
      messages: [user('First?')],
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    },
    keeps: ['First?'],
  },
  {
    name: 'a choice without tools',
    request: { messages: [user('First?')], tool_choice: 'none', parallel_tool_calls: false },
    keeps: ['First?'],
  },
  {
    name: 'strict tools beside others',
    request: {
      messages: [user('First?')],
      tools: [
        tool('get_weather', { strict: true }),
        tool('get_wind', { strict: null }),
        tool('get_rain', { strict: false }),
        { ...tool('get_snow'), cache_control: { type: 'ephemeral' } },
      ],
    },
    keeps: ['get_weather', 'get_wind', 'get_rain', 'get_snow'],
  },
  {
    name: 'strict tools whose schemas are open, have optional fields and alternatives',
    request: {
      messages: [user('First?')],
      tools: Object.entries(looseSchemas).map(([name, parameters]) =>
        tool(name, { strict: true, parameters }),
      ),
    },
    keeps: ['get_open', 'get_optional', 'get_either', 'get_nothing', 'get_any', 'Celsius', 'inner'],
  },
  ...Object.entries(looseSchemas)
    .slice(0, 3)
    .map(([name, schema]): Conversation => ({
      name: `a strict answer of such a schema: ${name}`,
      request: {
        messages: [user('First?')],
        response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
      },
      keeps: ['First?', 'inner'],
    })),
  {
    name: 'a started answer',
    request: { messages: [user('First?'), assistant('The answer is ')] },
    keeps: ['First?', 'The answer is'],
  },
  {
    name: 'many stop sequences',
    request: {
      messages: [user('First?')],
      stop: ['', ' ', '\n', 'END1', 'END2', 'END3', 'END4', 'END5', 'x'.repeat(100)],
    },
    keeps: ['First?'],
  },
  {
    name: 'half a character',
    request: {
      tools,
      messages: [
        user('cut \ud83d'),
        assistant('\udc4d cut', { tool_calls: [callOf('call_1', '{"city":"\ud83d"}')] }),
        result('call_1', [{ type: 'text', text: 'Rain \ud83d' }]),
      ],
    },
    keeps: ['cut', 'Rain'],
  },
  {
    name: 'settings of models that do not reason',
    request: {
      messages: [user('First?')],
      temperature: 0.2,
      top_p: 0.9,
      presence_penalty: 0.1,
      frequency_penalty: 0.1,
      seed: 2 ** 40 + 1,
      max_tokens: 8,
    },
    keeps: ['First?'],
  },
  {
    name: "settings of other makers' APIs",
    request: {
      messages: [user('First?')],
      ...{ top_k: 40, min_p: 0.1, top_a: 0.1, repetition_penalty: 1.1, user: 'u-1', store: true },
      ...{ logit_bias: { 50256: 1 }, logprobs: true, top_logprobs: 2, service_tier: 'auto' },
      ...{
        metadata: { a: 'b' },
        prompt_cache_key: 'k',
        safety_identifier: 'u-1',
        verbosity: 'low',
      },
      ...{ thinking: { type: 'disabled' }, enable_thinking: false, reasoning: { effort: 'low' } },
      chat_template_kwargs: { enable_thinking: false },
      presence_penalty: 0.1,
    },
    keeps: ['First?'],
  },
  {
    name: 'a tool at a time',
    request: { messages: [user('First?')], tools, parallel_tool_calls: false },
    keeps: ['First?'],
  },
  {
    name: 'the same at effort none',
    request: {
      messages: [user('First?')],
      temperature: 0.2,
      top_p: 0.9,
      seed: -1,
      max_completion_tokens: 8,
      reasoning_effort: 'none',
    },
    keeps: ['First?'],
  },
  {
    name: 'the highest effort',
    request: { messages: [user('First?')], reasoning_effort: 'max', max_completion_tokens: 4000 },
    keeps: ['First?'],
  },
  {
    name: 'an effort, and a tool that must be called',
    request: {
      messages: [user('First?')],
      tools,
      tool_choice: 'required',
      reasoning_effort: 'high',
      parallel_tool_calls: false,
      max_tokens: 4000,
    },
    keeps: ['First?', 'get_weather'],
  },
  {
    name: 'one tool that must be called',
    request: {
      messages: [user('First?')],
      tools: [...tools, tool('get_wind')],
      tool_choice: { type: 'function', function: { name: 'get_wind' } },
    },
    keeps: ['First?', 'get_wind'],
  },
  {
    name: 'results without their call, before it, and twice',
    request: {
      tools,
      messages: [
        result('call_0', 'Rain 0.'),
        user('First?'),
        result('call_1', [{ type: 'text', text: 'Rain 1.' }, image]),
        calls('call_1'),
        result('call_1', 'Rain 2.'),
        result('call_1', 'Rain 3.'),
        assistant('One.'),
        result('call_1', 'Rain 4.'),
        { role: 'tool', content: 'Rain 5.' },
        user('Last?'),
      ],
    },
    keeps: ['Rain 0.', 'Rain 1.', picture.slice(0, 20), 'Rain 2.', 'Rain 3.', 'Rain 4.', 'Rain 5.'],
  },
  {
    name: 'a result twice between those of other calls',
    request: {
      tools,
      messages: [
        user('First?'),
        calls('call_1', 'call_2'),
        result('call_1', 'Rain 1.'),
        result('call_1', 'Rain 2.'),
        result('call_2', 'Rain 3.'),
        user('Last?'),
      ],
    },
    keeps: ['Rain 1.', 'Rain 2.', 'Rain 3.', 'Last?'],
  },
  {
    name: 'calls of one turn that share an id, and once more in the next',
    request: {
      tools,
      messages: [
        user('First?'),
        calls('call_1', 'call_1', 'call_2'),
        result('call_1', 'Rain 1.'),
        result('call_1', 'Rain 2.'),
        result('call_2', 'Rain 3.'),
        calls('call_1', 'call_1'),
        result('call_1', 'Rain 4.'),
        user('Last?'),
      ],
    },
    keeps: ['Rain 1.', 'Rain 2.', 'Rain 3.', 'Rain 4.', 'Last?'],
  },
  {
    name: 'results without any call, and no tools',
    request: { messages: [user('First?'), result('call_1', 'Rain 1.')] },
    keeps: ['First?', 'Rain 1.'],
  },
  {
    name: 'content that is an empty list, or null',
    request: {
      tools,
      messages: [
        { role: 'system', content: [] },
        user([]),
        assistant([]),
        user(null),
        assistant(null),
        calls('call_1', 'call_2'),
        result('call_1', []),
        result('call_2', null),
        user('Last?'),
      ],
    },
    keeps: ['Last?'],
  },
  {
    name: 'images in all spellings',
    request: {
      messages: oddImages.map((image_url) =>
        user([
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: image_url as { url: string } },
        ]),
      ),
    },
    keeps: [picture.slice(0, 40)],
  },
  {
    name: 'parts of Messages and of Responses',
    request: { tools, messages: [...foreignTurns] },
    keeps: ['In 1.', 'Out 1.', 'Oslo', 'Rain 1.', 'Rain 2.', 'Doc 1.', picture.slice(0, 20)],
  },
  {
    name: 'alternatives of tokens, without those of the answer',
    request: { messages: [user('First?')], top_logprobs: 3, tool_choice: 'auto' },
    keeps: ['First?'],
  },
  {
    name: 'texts that are empty',
    request: {
      messages: [
        { role: 'system', content: '' },
        user('First?'),
        assistant(''),
        user([
          { type: 'text', text: '' },
          { type: 'text', text: 'Second?' },
        ]),
        assistant(null, { refusal: 'No.' }),
        user('Third?'),
        assistant('', { reasoning_content: 'hm' }),
        user(''),
        user('Fourth?'),
      ],
    },
    keeps: ['First?', 'Second?', 'Third?', 'No.', 'Fourth?'],
  },
];

/** All of them after one another, as an agent's long session has them. */
const session: Conversation = {
  name: 'all of these in one session',
  request: {
    tools,
    messages: [...list.flatMap(({ request }) => request.messages), user('Last?')],
    stop: ['END1', 'END2', 'END3', 'END4', 'END5'],
    temperature: 0.2,
    max_tokens: 4000,
  },
  keeps: ['Last?'],
};

export const conversations: readonly Conversation[] = [...list, session];
