import { describe, expect, test } from 'vitest';
import type {
  ChatMessage,
  ChatRequest,
  ContentPart,
  ToolDefinition,
} from '../../src/completion.js';
import type { UpstreamRequest } from '../../src/providers/adapter.js';
import { gemini } from '../../src/providers/gemini/index.js';

type Json = Record<string, unknown>;
interface Turn {
  role: string;
  parts: Json[];
}

const adapter = gemini.create({ name: 'gemini', api: 'gemini', headers: { 'x-team': 'blue' } });
const call = {
  request: { messages: [{ role: 'user', content: 'hi' }] },
  model: 'gemini-2.5-flash',
  stream: false,
};

/** The request body, parsed as the provider parses it. */
function translate(
  request: Partial<ChatRequest>,
  model = 'gemini-2.5-flash',
): Json & { contents: Turn[] } {
  const sent = adapter.buildRequest(
    { ...call, request: { ...call.request, ...request }, model },
    'k',
  ) as UpstreamRequest;
  return JSON.parse(sent.body.toString()) as Json & { contents: Turn[] };
}
const contentsOf = (messages: ChatRequest['messages'], model?: string): Turn[] =>
  translate({ messages }, model).contents;
const partsOf = (messages: ChatRequest['messages'], model?: string): Json[] =>
  contentsOf(messages, model)[0]!.parts;
const configOf = (request: Partial<ChatRequest>, model?: string): unknown =>
  translate(request, model)['generationConfig'];
const partOf = (part: ContentPart): unknown => partsOf([{ role: 'user', content: [part] }])[0];
const weatherCall = {
  id: 'call_a',
  type: 'function' as const,
  function: { name: 'weather', arguments: '{"city":"Oslo"}' },
};

describe('where a request goes', () => {
  test('the model and the operation are in the path, the key in a header', () => {
    expect(adapter.buildRequest(call, 'AIza-test')).toEqual({
      method: 'POST',
      url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent',
      headers: {
        'content-type': 'application/json',
        'x-goog-api-key': 'AIza-test',
        'x-team': 'blue',
      },
      body: '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
    });
  });

  test('a stream is requested as server-sent events', () => {
    expect(adapter.buildRequest({ ...call, stream: true }, 'k')).toMatchObject({
      url: expect.stringMatching(/:streamGenerateContent\?alt=sse$/),
    });
  });

  test('a configured base URL and a deployment name are used', () => {
    const other = gemini.create({
      name: 'g',
      api: 'gemini',
      baseUrl: 'http://127.0.0.1:9/v1',
      deployments: { mine: 'tunedModels/abc' },
    });
    expect(other.buildRequest({ ...call, model: 'mine' }, null)).toMatchObject({
      url: 'http://127.0.0.1:9/v1/tunedModels/abc:generateContent',
      headers: { 'content-type': 'application/json' },
    });
  });

  test.each(['../../v1/files', 'a//b', '..', '', 'x\ud800'])(
    'a model named %j is refused rather than sent elsewhere',
    (model) => {
      expect(() => adapter.buildRequest({ ...call, model }, 'k')).toThrow(
        expect.objectContaining({ code: 'request_refused' }),
      );
    },
  );

  test('a model name cannot choose another operation or add a query', () => {
    expect(adapter.buildRequest({ ...call, model: 'm:countTokens?x=1#' }, 'k')).toMatchObject({
      url: expect.stringContaining('/models/m%3AcountTokens%3Fx%3D1%23:generateContent'),
    });
  });
});

describe('messages', () => {
  test('system and developer messages before the first turn become the instruction, and later ones stay in their place', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'be brief' },
      { role: 'developer', content: [{ type: 'text', text: 'be kind' }] },
      { role: 'user', content: 'hi' },
    ];
    const before = translate({ messages });
    expect(before['systemInstruction']).toEqual({
      parts: [{ text: 'be brief' }, { text: 'be kind' }],
    });
    const after = translate({
      messages: [
        ...messages,
        { role: 'assistant', content: 'hello' },
        { role: 'system', content: 'in German from now on' },
        { role: 'user', content: 'who are you?' },
      ],
    });
    expect(after['systemInstruction']).toEqual(before['systemInstruction']);
    expect(after['contents']).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ text: 'hello' }] },
      { role: 'user', parts: [{ text: 'in German from now on' }] },
      { role: 'user', parts: [{ text: 'who are you?' }] },
    ]);
  });

  test('an instruction between a call and its result follows the result', () => {
    const contents = contentsOf([
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'system', content: 'be brief' },
      { role: 'tool', tool_call_id: 'c', content: '1' },
    ]);
    expect(contents).toMatchObject([
      { role: 'user' },
      { role: 'model' },
      { role: 'user', parts: [{ functionResponse: { response: { result: '1' } } }] },
      { role: 'user', parts: [{ text: 'be brief' }] },
    ]);
  });

  test("instructions without messages become a user's turn", () => {
    expect(translate({ messages: [{ role: 'system', content: 'say hello' }] })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'say hello' }] }],
    });
  });

  test('an assistant message becomes a turn of the model, without its reasoning and empty texts', () => {
    expect(
      contentsOf([
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', reasoning_content: 'hm' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'c' },
          ],
        },
      ]),
    ).toEqual([
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ text: 'b' }] },
      { role: 'user', parts: [{ text: 'c' }] },
    ]);
  });

  test('tool calls and their results keep ids, names and order, the results of one step in one turn', () => {
    const second = {
      id: 'call_b',
      type: 'function' as const,
      function: { name: 'time', arguments: '' },
    };
    expect(
      contentsOf([
        { role: 'user', content: 'weather?' },
        { role: 'assistant', content: null, tool_calls: [weatherCall, second] },
        { role: 'tool', tool_call_id: 'call_a', content: '{"degrees":-3}' },
        { role: 'tool', tool_call_id: 'call_b', content: 'noon' },
        { role: 'user', content: 'thanks' },
      ]).slice(1),
    ).toEqual([
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'call_a', name: 'weather', args: { city: 'Oslo' } } },
          { functionCall: { id: 'call_b', name: 'time', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'call_a', name: 'weather', response: { degrees: -3 } } },
          { functionResponse: { id: 'call_b', name: 'time', response: { result: 'noon' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'thanks' }] },
    ]);
  });

  test('a result that is a list is wrapped, and its images go beside it', () => {
    const results = contentsOf([
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [weatherCall] },
      {
        role: 'tool',
        tool_call_id: 'call_a',
        content: [
          { type: 'text', text: '[1,2]' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ])[2];
    expect(results?.parts).toEqual([
      { functionResponse: { id: 'call_a', name: 'weather', response: { result: [1, 2] } } },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ]);
  });

  test('the older function_call and function messages are understood', () => {
    const contents = contentsOf([
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content: null, function_call: weatherCall.function },
      { role: 'function', name: 'weather', content: 'snow' },
    ]).slice(1);
    expect(contents.map((turn) => turn.parts)).toEqual([
      [{ functionCall: { id: 'call_1', name: 'weather', args: { city: 'Oslo' } } }],
      [{ functionResponse: { id: 'call_1', name: 'weather', response: { result: 'snow' } } }],
    ]);
  });

  test('arguments that are not a JSON object are sent in one, and none where they are null', () => {
    const history = [
      {
        role: 'assistant',
        tool_calls: ['{"city"', 'null'].map((args) => ({
          ...weatherCall,
          function: { name: 'weather', arguments: args },
        })),
      },
    ];
    const parts = contentsOf(history)[1]?.parts ?? [];
    expect(parts[0]).toMatchObject({ functionCall: { args: { invalid_arguments: '{"city"' } } });
    expect(JSON.stringify(parts[1])).toContain('"args":{}');
  });

  test('thought signatures of calls and texts are sent back', () => {
    const signed = (signature: string): object => ({
      extra_content: { google: { thought_signature: signature } },
    });
    expect(
      contentsOf(
        [
          {
            role: 'assistant',
            content: 'let me see',
            ...signed('s1'),
            tool_calls: [{ ...weatherCall, ...signed('s2') }],
          },
        ],
        'gemini-3-flash-preview',
      )[1]?.parts,
    ).toEqual([
      { text: 'let me see', thoughtSignature: 's1' },
      {
        functionCall: { id: 'call_a', name: 'weather', args: { city: 'Oslo' } },
        thoughtSignature: 's2',
      },
    ]);
  });

  test('Gemini 3 gets the documented signature for calls that another model made, Gemini 2.5 needs none', () => {
    const history: ChatRequest['messages'] = [
      { role: 'assistant', tool_calls: [weatherCall, { ...weatherCall, id: 'call_b' }] },
    ];
    const signatures = (model: string): unknown[] | undefined =>
      contentsOf(history, model)[1]?.parts.map((part) => part['thoughtSignature']);
    expect(signatures('gemini-3-flash-preview')).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ]);
    expect(signatures('gemini-2.5-flash')).toEqual([undefined, undefined]);
  });
});

describe('content that is not text', () => {
  test.each([
    [
      'an image as data',
      { type: 'image_url', image_url: { url: 'data:image/webp;base64,UklG' } },
      { inlineData: { mimeType: 'image/webp', data: 'UklG' } },
    ],
    [
      'a data URL without base64',
      { type: 'image_url', image_url: { url: 'data:image/svg+xml,%3Csvg%3E' } },
      { inlineData: { mimeType: 'image/svg+xml', data: 'PHN2Zz4=' } },
    ],
    [
      'an image by address',
      { type: 'image_url', image_url: { url: 'https://example.org/a.PNG?x=1' } },
      { fileData: { fileUri: 'https://example.org/a.PNG?x=1', mimeType: 'image/png' } },
    ],
    [
      'an address without a type',
      { type: 'image_url', image_url: { url: 'gs://bucket/picture' } },
      { fileData: { fileUri: 'gs://bucket/picture', mimeType: 'image/jpeg' } },
    ],
    [
      'a video',
      { type: 'video_url', video_url: { url: 'https://example.org/a.webm' } },
      { fileData: { fileUri: 'https://example.org/a.webm', mimeType: 'video/webm' } },
    ],
    [
      'audio',
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'mp3' } },
      { inlineData: { mimeType: 'audio/mp3', data: 'UklG' } },
    ],
    [
      'a file as data',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
    ],
    [
      'a file as bare base64',
      { type: 'file', file: { file_data: 'YSxi', filename: 'a.csv' } },
      { inlineData: { mimeType: 'text/csv', data: 'YSxi' } },
    ],
    [
      'an uploaded file',
      { type: 'file', file: { file_id: 'files/abc' } },
      { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
    ],
  ])('%s', (_name, part, expected) => expect(partOf(part)).toEqual(expected));

  test.each([
    { type: 'image_url', image_url: { url: 'file:///etc/passwd' } },
    { type: 'image_url', image_url: { url: 'data:image/png' } },
    { type: 'file', file: { file_id: 'file-openai123' } },
    { type: 'hologram' },
  ])('content that Gemini does not support is refused, not dropped: %j', (part) => {
    expect(() => partOf(part)).toThrow(
      expect.objectContaining({
        code: 'request_refused',
        message: expect.not.stringContaining('passwd'),
      }),
    );
  });
});

describe('tools', () => {
  const tool = {
    type: 'function' as const,
    function: {
      name: 'weather',
      description: 'now',
      parameters: {
        type: 'object',
        properties: { city: { $ref: '#/$defs/c' } },
        additionalProperties: false,
      },
    },
  };

  test('functions are declared with their JSON Schema unchanged', () => {
    expect(
      translate({ tools: [tool, { type: 'function', function: { name: 'now' } }] })['tools'],
    ).toEqual([
      {
        functionDeclarations: [
          { name: 'weather', description: 'now', parametersJsonSchema: tool.function.parameters },
          { name: 'now' },
        ],
      },
    ]);
  });

  test("Google's own tools stay unchanged; web search options turn on its search", () => {
    expect(
      translate({
        tools: [{ urlContext: {} } as object as ToolDefinition],
        web_search_options: {},
      })['tools'],
    ).toEqual([{ urlContext: {} }, { googleSearch: {} }]);
  });

  test.each([
    ['none', { mode: 'NONE' }],
    ['auto', { mode: 'AUTO' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'weather' } },
      { mode: 'ANY', allowedFunctionNames: ['weather'] },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: [{ type: 'function', function: { name: 'weather' } }],
        },
      },
      { mode: 'VALIDATED', allowedFunctionNames: ['weather'] },
    ],
  ] as const)('the choice %j', (choice, expected) => {
    expect(translate({ tools: [tool], tool_choice: choice })['toolConfig']).toEqual({
      functionCallingConfig: expected,
    });
  });

  test('a choice without tools is not sent', () =>
    expect(translate({ tool_choice: 'auto' })).not.toHaveProperty('toolConfig'));
});

describe('settings', () => {
  test('sampling, lengths and penalties are renamed; absent and null ones are omitted', () => {
    expect(
      configOf({
        temperature: 0,
        top_p: 0.5,
        top_k: 3,
        max_tokens: 5,
        max_completion_tokens: 9,
        stop: 'END',
        seed: 7,
        n: 2,
        presence_penalty: 1,
        frequency_penalty: null,
        logprobs: true,
        top_logprobs: 4,
      }),
    ).toEqual({
      temperature: 0,
      topP: 0.5,
      topK: 3,
      maxOutputTokens: 9,
      stopSequences: ['END'],
      seed: 7,
      candidateCount: 2,
      presencePenalty: 1,
      responseLogprobs: true,
      logprobs: 4,
    });
    expect(translate({ n: 1, logprobs: false })).not.toHaveProperty('generationConfig');
  });

  test('response formats', () => {
    expect(configOf({ response_format: { type: 'json_object' } })).toEqual({
      responseMimeType: 'application/json',
    });
    expect(
      configOf({
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'x', schema: { type: 'object' } },
        },
      }),
    ).toEqual({ responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } });
    expect(configOf({ response_format: { type: 'text' }, modalities: ['text', 'image'] })).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
    });
  });

  test.each([
    ['gemini-2.5-flash', 'low', { thinkingBudget: 1024, includeThoughts: true }],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0, includeThoughts: false }],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128, includeThoughts: false }],
    ['gemini-2.5-pro', 'xhigh', { thinkingBudget: 24576, includeThoughts: true }],
    ['gemini-2.5-flash', 'max', { thinkingBudget: 24576, includeThoughts: true }],
    ['gemini-3.5-flash', 'max', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-3-flash-preview', 'minimal', { thinkingLevel: 'minimal', includeThoughts: true }],
    ['models/gemini-3-pro-preview', 'medium', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-3.1-pro-preview', 'none', { thinkingLevel: 'low', includeThoughts: false }],
    ['gemini-3.1-pro-preview', 'medium', { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-3.7-flash', 'minimal', { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-3.1-flash-lite', 'none', { thinkingLevel: 'minimal', includeThoughts: false }],
    ['gemini-3.7-flash-lite', 'minimal', { thinkingLevel: 'minimal', includeThoughts: true }],
    ['gemini-flash-lite-latest', 'none', { thinkingLevel: 'minimal', includeThoughts: false }],
    ['gemini-4-argon-flash-lite', 'none', { thinkingLevel: 'low', includeThoughts: false }],
    ['gemini-flash-latest', 'xhigh', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-4-hydrogen', 'none', { thinkingLevel: 'low', includeThoughts: false }],
    ['gemini-4-hydrogen', 'max', { thinkingLevel: 'xhigh', includeThoughts: true }],
    ['google/gemini-4-argon', 'xhigh', { thinkingLevel: 'high', includeThoughts: true }],
  ])('%s thinks with effort %s', (model, effort, expected) =>
    expect(configOf({ reasoning_effort: effort }, model)).toEqual({ thinkingConfig: expected }),
  );

  test.each(['gemini-2.0-flash', 'gemma-3-27b-it'])(
    '%s does not think, and gets no thinking configuration',
    (model) => {
      expect(translate({ reasoning_effort: 'high' }, model)).not.toHaveProperty('generationConfig');
    },
  );

  test.each(['constructor', '__proto__', 'surprise'])('an effort %s is unknown', (effort) => {
    const config = { reasoning_effort: effort };
    expect(translate(config, 'gemini-2.5-flash')).not.toHaveProperty('generationConfig');
  });

  test("Google's own fields are passed on, at the top level or where Google's compatible endpoint takes them", () => {
    const safety = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }];
    const body = translate({
      safetySettings: safety,
      generationConfig: { mediaResolution: 'LOW' },
      extra_body: {
        google: { cached_content: 'cachedContents/x', thinking_config: { thinking_budget: 9 } },
      },
    });
    expect(body).toMatchObject({
      safetySettings: safety,
      cachedContent: 'cachedContents/x',
      generationConfig: { mediaResolution: 'LOW', thinkingConfig: { thinking_budget: 9 } },
    });
  });
});
