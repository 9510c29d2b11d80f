import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
import { searchingProviders } from '../helpers/native-search.js';
import { post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Step, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Is Heron 4.0 out?' }];
const claude = 'claude/claude-sonnet-4-5';
const url = 'https://heron.example/releases';
let upstream: Upstream;
let gateway: RunningGateway;
let withEngine: RunningGateway;

beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
  const common = {
    limits: { maxRetries: 0 },
    providers: searchingProviders(upstream.url),
    models: { [claude]: { inputPrice: 1, outputPrice: 1, searchPrice: 0.01, tools: true } },
  };
  gateway = await startGateway(common);
  withEngine = await startGateway({
    ...common,
    search: { engines: [{ type: 'searxng', url: upstream.url }] },
  });
});
afterAll(async () => {
  await Promise.all([gateway.close(), withEngine.close()]);
  await upstream.close();
});
beforeEach(() => {
  upstream.script([]);
  upstream.requests.length = 0;
});

const blocks = (query: string): object[] => [
  { type: 'server_tool_use', id: `srv_${query}`, name: 'web_search', input: { query } },
  {
    type: 'web_search_tool_result',
    tool_use_id: `srv_${query}`,
    content: [
      { type: 'web_search_result', url, title: 'Releases', encrypted_content: `secret ${query}` },
    ],
  },
];
const said = (content: readonly object[], stop = 'end_turn'): Step => ({
  raw: Buffer.from(
    JSON.stringify({
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content,
      stop_reason: stop,
      usage: { input_tokens: 100, output_tokens: 10, server_tool_use: { web_search_requests: 1 } },
    }),
  ),
  contentType: 'application/json',
});
const paused = (query: string, text = ''): Step =>
  said([...blocks(query), ...(text === '' ? [] : [{ type: 'text', text }])], 'pause_turn');
const citing = {
  type: 'text',
  text: 'Heron 4.0 is out.',
  citations: [{ type: 'web_search_result_location', url, title: 'Releases', cited_text: '4.0' }],
};

const ask = (body: object = {}): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages, models: [claude], search: true, ...body },
    gateway.auth,
  );
const sent = (n: number): { role: string; content: unknown }[] =>
  upstream.requests[n]!.body!['messages'] as never;

describe('a turn that the provider paused in the middle of its searches', () => {
  it('goes on where it is sent back as it was', async () => {
    upstream.script([paused('one', 'I look. '), paused('two'), said([citing])]);
    const { json } = await ask();
    expect(textAt(json, 'message', 'content', 0, 'text')).toBe('I look. Heron 4.0 is out.');
    expect(json).toMatchObject({
      finishReason: 'stop',
      message: {
        sources: [{ id: 1, url, cited: true }],
        citations: [{ source: 1, start: 8, end: 25 }],
      },
      grounding: { engine: 'native', queries: ['one', 'two'], searches: 3, stoppedBy: null },
      usage: { promptTokens: 300, completionTokens: 30 },
    });
    const returned = JSON.stringify(sent(2).slice(1));
    expect(returned).toContain('secret one');
    expect(returned).toContain('secret two');
    expect(upstream.requests[2]!.body!['tools']).toMatchObject([{ name: 'web_search' }]);
  });

  it('ends as an answer that stopped, once its steps are over', async () => {
    upstream.script([paused('one', 'Still looking.')]);
    const { json } = await ask({ maxToolSteps: 2 });
    expect(upstream.requests).toHaveLength(3);
    expect(json).toMatchObject({ finishReason: 'stop', grounding: { stoppedBy: 'steps' } });
  });

  it('is taken over by another model with its text alone', async () => {
    upstream.script([paused('one', 'I look.'), { status: 500 }, { text: ['It is out.'] }]);
    const { json } = await ask({ fallback_models: ['router/some/model'] });
    expect(json).toMatchObject({ provider: 'router' });
    expect(sent(2).slice(-2)).toMatchObject([
      { role: 'assistant', content: 'I look.' },
      { role: 'user' },
    ]);
    expect(JSON.stringify(sent(2))).not.toContain('secret');
  });

  it('keeps what its searches found from clients and conversations', async () => {
    upstream.script([paused('one'), said([...blocks('two'), citing])]);
    const { json, text } = await ask();
    expect(text).not.toContain('secret');
    const id = textAt(json, 'conversationId');
    const stored = await fetch(`${gateway.url}/api/v1/conversations/${id}/messages`, {
      headers: gateway.auth,
    });
    expect(stored.status).toBe(200);
    const kept = await stored.text();
    expect(kept).toContain('Heron 4.0 is out.');
    expect(kept).not.toContain('secret');
  });

  it('has the finish reason `stop` where nobody goes on with it', async () => {
    upstream.script([paused('one', 'Still looking.')]);
    const { json } = await post(
      `${gateway.url}/v1/chat/completions`,
      { model: claude, messages, web_search_options: {} },
      gateway.auth,
    );
    expect(at(json, 'choices', 0, 'finish_reason')).toBe('stop');
  });

  it('returns what the client has to send back with its results', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
    upstream.script([paused('one'), said([...blocks('two'), call], 'tool_use')]);
    const { json } = await post(
      `${withEngine.url}/v1/chat/completions`,
      {
        model: claude,
        messages,
        web_search_options: {},
        tools: [{ type: 'function', function: { name: 'weather', parameters: {} } }],
      },
      withEngine.auth,
    );
    expect(at(json, 'choices', 0, 'finish_reason')).toBe('tool_calls');
    const details = JSON.stringify(at(json, 'choices', 0, 'message', 'reasoning_details'));
    expect(details).toContain('secret one');
    expect(details).toContain('secret two');
  });
});
