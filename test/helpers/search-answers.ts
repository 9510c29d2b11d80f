import type { FoundPage, UrlCitation } from '../../src/completion.js';
import { typedEvents } from './collect-stream.js';

/** One provider's answer with searches of the model's own, whole and streamed. */
export interface SearchAnswer {
  api: string;
  model: string;
  whole: object;
  /** Server-sent events. */
  stream: string;
  found: SearchFound;
}

/** What a client must get of it. */
export interface SearchFound {
  text: string;
  annotations: UrlCitation[];
  search_results: FoundPage[];
  search_queries: string[];
  webSearches: number | undefined;
}

// two bytes, four bytes and a surrogate pair come before what is cited
const greeting = 'Zoë 👋: ';
const claim = 'Heron 4.0 is out.';
const text = `${greeting}${claim} Enjoy!`;
const pieces = ['Zoë 👋', ': Heron 4', '.0 is out', '. Enjoy!'];
const start = greeting.length;
const end = start + claim.length;
const bytesTo = (at: number): number => Buffer.byteLength(text.slice(0, at));
const heron = 'https://heron.example/releases';
const other = 'https://news.example/heron?id=1&lang=zoë';

const cited = (more: Partial<UrlCitation['url_citation']> = {}): UrlCitation => ({
  type: 'url_citation',
  url_citation: { url: heron, title: 'Releases', start_index: start, end_index: end, ...more },
});
const plain = (events: readonly object[], last = ''): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + last;

const annotation = {
  type: 'url_citation',
  url: heron,
  title: 'Releases',
  start_index: start,
  end_index: end,
};
const searchCalls = [
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: {
      type: 'search',
      query: 'heron release',
      queries: ['heron release', 'heron 4.0'],
      sources: [
        { type: 'url', url: heron },
        { type: 'url', url: other },
      ],
    },
  },
  { type: 'web_search_call', id: 'ws_2', action: { type: 'open_page', url: heron } },
  { type: 'web_search_call', id: 'ws_3', action: { type: 'search', query: 'heron 4.0' } },
];
const responsesMessage = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [annotation] }],
};
const responsesUsage = { input_tokens: 900, output_tokens: 30 };
const response = {
  id: 'resp_1',
  object: 'response',
  model: 'gpt-5.2',
  status: 'completed',
  output: [...searchCalls, responsesMessage],
  usage: responsesUsage,
};

const openaiResponses: SearchAnswer = {
  api: 'openai-responses',
  model: 'gpt-5.2',
  whole: response,
  stream: typedEvents([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...searchCalls.flatMap((item, at) => [
      { type: 'response.output_item.added', output_index: at, item: { ...item, action: null } },
      { type: 'response.web_search_call.searching', output_index: at, item_id: item.id },
      { type: 'response.output_item.done', output_index: at, item },
    ]),
    {
      type: 'response.output_item.added',
      output_index: 3,
      item: { ...responsesMessage, content: [] },
    },
    { type: 'response.content_part.added', output_index: 3, content_index: 0 },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', output_index: 3, delta })),
    { type: 'response.output_text.annotation.added', output_index: 3, annotation },
    { type: 'response.output_item.done', output_index: 3, item: responsesMessage },
    { type: 'response.completed', response },
  ]),
  found: {
    text,
    annotations: [cited()],
    search_results: [
      { url: heron, title: '' },
      { url: other, title: '' },
    ],
    search_queries: ['heron release', 'heron 4.0'],
    webSearches: 2,
  },
};

const claudeCitation = {
  type: 'web_search_result_location',
  url: heron,
  title: 'Releases',
  cited_text: 'Version 4.0 was released.',
  encrypted_index: 'aW5kZXg',
};
const claudeBlocks = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'heron 4.0' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      {
        type: 'web_search_result',
        url: heron,
        title: 'Releases',
        page_age: '6 days ago',
        encrypted_content: 'c2VjcmV0',
      },
      {
        type: 'web_search_result',
        url: other,
        title: 'News',
        page_age: null,
        encrypted_content: 'bW9yZQ',
      },
    ],
  },
  { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_search', input: { query: 'again' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
  },
];
const claudeTexts = [
  { type: 'text', text: greeting },
  { type: 'text', text: claim, citations: [claudeCitation] },
  { type: 'text', text: ' Enjoy!' },
];
const claudeUsage = {
  input_tokens: 900,
  output_tokens: 30,
  server_tool_use: { web_search_requests: 1 },
};
const claudeMessage = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [...claudeBlocks, ...claudeTexts],
  stop_reason: 'end_turn',
  usage: claudeUsage,
};

function claudeEvents(block: { type: string }, index: number): object[] {
  const { input, text: said, citations, ...bare } = block as Record<string, unknown>;
  const deltas: object[] = [];
  for (const citation of (citations as object[] | undefined) ?? [])
    deltas.push({ type: 'citations_delta', citation });
  if (typeof said === 'string')
    deltas.push(
      { type: 'text_delta', text: said.slice(0, 3) },
      { type: 'text_delta', text: said.slice(3) },
    );
  if (input)
    for (const json of JSON.stringify(input).match(/.{1,6}/g) ?? [])
      deltas.push({ type: 'input_json_delta', partial_json: json });
  return [
    {
      type: 'content_block_start',
      index,
      content_block: {
        ...bare,
        ...(input ? { input: {} } : {}),
        ...(said === undefined ? {} : { text: '' }),
      },
    },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

const anthropic: SearchAnswer = {
  api: 'anthropic',
  model: 'claude-sonnet-4-5',
  whole: claudeMessage,
  stream: typedEvents([
    {
      type: 'message_start',
      message: { ...claudeMessage, content: [], stop_reason: null, usage: { input_tokens: 9 } },
    },
    ...claudeMessage.content.flatMap(claudeEvents),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: claudeUsage },
    { type: 'message_stop' },
  ]),
  found: {
    text,
    annotations: [cited({ content: 'Version 4.0 was released.' })],
    search_results: [
      { url: heron, title: 'Releases', date: '6 days ago' },
      { url: other, title: 'News' },
    ],
    search_queries: ['heron 4.0', 'again'],
    webSearches: 1,
  },
};

const grounding = {
  webSearchQueries: ['heron release', 'heron 4.0'],
  searchEntryPoint: { renderedContent: '<b>heron</b>' },
  groundingChunks: [
    { web: { uri: heron, title: 'Releases' } },
    { web: { uri: other, title: 'news.example' } },
  ],
  groundingSupports: [
    {
      segment: { startIndex: bytesTo(start), endIndex: bytesTo(end), text: claim },
      groundingChunkIndices: [0],
    },
  ],
};
const geminiUsage = { promptTokenCount: 9, candidatesTokenCount: 30, totalTokenCount: 39 };
const geminiOf = (said: string, more: object = {}): object => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: said }] }, ...more }],
  usageMetadata: geminiUsage,
  modelVersion: 'gemini-3.5-flash',
  responseId: 'r1',
});
const gemini: SearchAnswer = {
  api: 'gemini',
  model: 'gemini-3.5-flash',
  whole: geminiOf(text, { finishReason: 'STOP', groundingMetadata: grounding }),
  stream: plain([
    ...pieces.map((piece) => geminiOf(piece)),
    geminiOf('', { finishReason: 'STOP', groundingMetadata: grounding }),
  ]),
  found: {
    text,
    annotations: [
      cited(),
      { type: 'url_citation', url_citation: { url: other, title: 'news.example' } },
    ],
    search_results: [
      { url: heron, title: 'Releases' },
      { url: other, title: 'news.example' },
    ],
    search_queries: ['heron release', 'heron 4.0'],
    webSearches: 2,
  },
};

const usage = { prompt_tokens: 9, completion_tokens: 30, total_tokens: 39 };
const envelope = (model: string) => ({ id: 'c1', created: 1, model });
const body = (model: string, message: object, more: object = {}): object => ({
  ...envelope(model),
  object: 'chat.completion',
  ...more,
  usage: { ...usage, ...(more as { usage?: object }).usage },
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
});
const chunk = (model: string, delta: object, more: object = {}): object => ({
  ...envelope(model),
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const finish = (model: string, more: object = {}): object => ({
  ...chunk(model, {}),
  ...more,
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
});
const done = 'data: [DONE]\n\n';

const numbered = `${greeting}${claim}[2] Enjoy![9][a](https://x.example)`;
const perplexityLists = {
  citations: [other, heron],
  search_results: [
    { url: other, title: 'News', date: '2026-11-20', snippet: 'Heron was seen.' },
    { url: heron, title: 'Releases', snippet: 'Version 4.0 was released.' },
  ],
};
/** @param withUsage as recorded; else chunks of text differ in nothing else */
const perplexity = (withUsage: boolean): SearchAnswer => {
  const every = withUsage ? { ...perplexityLists, usage } : perplexityLists;
  return {
    api: 'perplexity',
    model: 'sonar',
    whole: body('sonar', { content: numbered }, perplexityLists),
    stream: plain([
      ...(numbered.match(/.{1,9}/gu) ?? []).map((content) => chunk('sonar', { content }, every)),
      finish('sonar', { ...perplexityLists, usage }),
    ]),
    found: {
      text: numbered,
      annotations: [
        cited({
          content: 'Version 4.0 was released.',
          start_index: end,
          end_index: end + '[2]'.length,
        }),
      ],
      search_results: [
        { url: other, title: 'News', date: '2026-11-20', snippet: 'Heron was seen.' },
        { url: heron, title: 'Releases', snippet: 'Version 4.0 was released.' },
      ],
      search_queries: [],
      webSearches: undefined,
    },
  };
};

const routed = [
  {
    type: 'url_citation',
    url_citation: {
      url: heron,
      title: 'Releases',
      content: 'Version 4.0',
      start_index: 0,
      end_index: 0,
    },
  },
  {
    type: 'url_citation',
    url_citation: { url: other, title: 'News', start_index: start, end_index: end },
  },
];
const routedUsage = { ...usage, server_tool_use_details: { web_search_requests: 3 } };
const openrouter: SearchAnswer = {
  api: 'openrouter',
  model: 'deepseek/deepseek-chat',
  whole: body(
    'deepseek/deepseek-chat',
    { content: text, annotations: routed },
    {
      usage: routedUsage,
    },
  ),
  stream: plain(
    [
      ...routed.map((each) =>
        chunk('deepseek/deepseek-chat', { role: 'assistant', content: '', annotations: [each] }),
      ),
      ...pieces.map((content) => chunk('deepseek/deepseek-chat', { content })),
      finish('deepseek/deepseek-chat'),
      { ...chunk('deepseek/deepseek-chat', {}), choices: [], usage: routedUsage },
    ],
    done,
  ),
  found: {
    text,
    annotations: [
      {
        type: 'url_citation',
        url_citation: { url: heron, title: 'Releases', content: 'Version 4.0' },
      },
      {
        type: 'url_citation',
        url_citation: { url: other, title: 'News', start_index: start, end_index: end },
      },
    ],
    search_results: [{ url: heron, title: 'Releases', snippet: 'Version 4.0' }],
    search_queries: [],
    webSearches: 3,
  },
};

const executed = [
  {
    index: 0,
    type: 'search',
    arguments: '{"query": "heron 4.0"}',
    output: 'Title: Releases',
    search_results: {
      results: [{ title: 'Releases', url: heron, content: 'Version 4.0', score: 0.9 }],
    },
  },
  { index: 1, type: 'python', arguments: '{"code": "1"}', output: '1', search_results: null },
];
const groq: SearchAnswer = {
  api: 'groq',
  model: 'groq/compound',
  whole: body('groq/compound', { content: text, executed_tools: executed }),
  stream: plain(
    [
      chunk('groq/compound', { role: 'assistant', executed_tools: [{ index: 0, type: 'search' }] }),
      chunk('groq/compound', { executed_tools: executed }),
      ...pieces.map((content) => chunk('groq/compound', { content })),
      finish('groq/compound', { x_groq: { usage } }),
    ],
    done,
  ),
  found: {
    text,
    annotations: [],
    search_results: [{ url: heron, title: 'Releases', snippet: 'Version 4.0' }],
    search_queries: ['heron 4.0'],
    webSearches: undefined,
  },
};

const zaiLists = {
  web_search: [
    {
      title: 'Releases',
      link: heron,
      content: 'Version 4.0',
      publish_date: '2026-11-20',
      refer: 'ref_1',
    },
  ],
};
const zai: SearchAnswer = {
  api: 'zai',
  model: 'glm-5.3',
  whole: body('glm-5.3', { content: text }, zaiLists),
  stream: plain(
    [
      ...pieces.map((content, at) => chunk('glm-5.3', { content }, at === 2 ? zaiLists : {})),
      finish('glm-5.3', { usage }),
    ],
    done,
  ),
  found: {
    text,
    annotations: [],
    search_results: [{ url: heron, title: 'Releases', snippet: 'Version 4.0', date: '2026-11-20' }],
    search_queries: [],
    webSearches: undefined,
  },
};

const nested = { type: 'url_citation', url_citation: { ...cited().url_citation } };
const openai: SearchAnswer = {
  api: 'openai',
  model: 'gpt-5-search-api',
  whole: body('gpt-5-search-api', { content: text, annotations: [nested] }),
  stream: plain(
    [
      ...pieces.map((content) => chunk('gpt-5-search-api', { content })),
      chunk('gpt-5-search-api', { annotations: [nested] }),
      finish('gpt-5-search-api'),
      { ...chunk('gpt-5-search-api', {}), choices: [], usage },
    ],
    done,
  ),
  found: {
    text,
    annotations: [cited()],
    search_results: [],
    search_queries: [],
    webSearches: undefined,
  },
};

/** By what the test is to call it. */
export const searchAnswers: readonly (readonly [string, SearchAnswer])[] = [
  ["OpenAI's Responses API", openaiResponses],
  ["OpenAI's models that search", openai],
  ['Anthropic', anthropic],
  ['Gemini', gemini],
  ['Perplexity', perplexity(true)],
  ['Perplexity without usage in each chunk', perplexity(false)],
  ['OpenRouter', openrouter],
  ['Groq', groq],
  ['Z.AI', zai],
];
