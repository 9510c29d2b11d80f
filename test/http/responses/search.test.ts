import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText, type ToolSet } from 'ai';
import OpenAI from 'openai';
import type { ResponseStreamParams } from 'openai/lib/responses/ResponseStream';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseOutputItem,
} from 'openai/resources/responses/responses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { at, listAt, textAt } from '../../helpers/json.js';
import {
  chatModel,
  everyModel,
  outputOf,
  ownModel,
  type ResponsesWorld,
  startResponses,
} from '../../helpers/responses.js';
import { articlePage, type SearchWorld, startSearchWorld } from '../../helpers/search-world.js';

let search: SearchWorld;
let world: ResponsesWorld;
beforeAll(async () => {
  search = await startSearchWorld();
  search.pages = [{ title: 'Lindow tower', url: `${search.url}/tower`, text: 'It is 312 m tall.' }];
  search.web = { '/tower': articlePage('Lindow tower', 'The Lindow tower is 312 metres tall.') };
  world = await startResponses({
    models: { 'chat/gpt-test': { tools: true } },
    search: {
      engines: [{ type: 'searxng', url: search.url }],
      allowPrivateHosts: [search.host],
      cacheMs: 0,
    },
  });
});
afterAll(async () => {
  await world.close();
  await search.close();
});
beforeEach(() => {
  world.upstream.requests.length = 0;
});

const chatAndClaude = [chatModel, 'claude/claude-sonnet-4-5'];
const body = {
  input: 'How tall is the Lindow tower?',
  tools: [{ type: 'web_search' }, { type: 'function', name: 'weather', parameters: {} }],
};

it('web_search is run by the gateway for a model of another dialect, with annotations', async () => {
  world.upstream.script([
    { toolCalls: [{ id: 's1', name: 'web_search', arguments: { query: 'Lindow tower' } }] },
    { text: ['The Lindow tower is 312 metres tall [1].'] },
  ]);
  const { json } = await world.ask(body);
  expect(search.queries).toEqual(['Lindow tower']);
  const [message] = outputOf(json).slice(-1);
  expect(listAt(listAt(message, 'content')[0], 'annotations')).toMatchObject([
    { type: 'url_citation', url: `${search.url}/tower` },
  ]);
  expect(at(json, 'warnings')).toBeUndefined();
});

it("web_search is the provider's own where it gets the body as it is", async () => {
  world.upstream.script([]);
  await world.ask({ ...body, model: ownModel });
  expect(listAt(world.sent(), 'tools')).toEqual(body.tools);
});

describe('a search of the gateway', () => {
  const call = (id: string, query: string) => ({ id, name: 'web_search', arguments: { query } });
  const answers = [
    { text: ['I look. '], toolCalls: [call('s1', 'Lindow tower'), call('s2', 'Lindow mill')] },
    { text: ['The Lindow tower is 312 metres tall [1].'] },
  ];
  const include = ['web_search_call.action.sources' as const];
  const client = () =>
    new OpenAI({ apiKey: world.key, baseURL: `${world.url}/v1`, maxRetries: 0 }).responses;
  const asked = { ...body, model: chatModel, include } as ResponseCreateParamsNonStreaming;
  const searchesOf = (output: readonly ResponseOutputItem[]) =>
    output.filter(({ type }) => type === 'web_search_call');
  const sources = (): object[] => [{ type: 'url', url: `${search.url}/tower` }];
  const found = (query: string) => ({
    status: 'completed',
    action: { type: 'search', query, queries: [query], sources: sources() },
  });

  it("is an item of its own, as OpenAI's SDK reads it, whole and streamed", async () => {
    world.upstream.script(answers);
    const whole = await client().create(asked);
    world.upstream.script(answers);
    const stream = client().stream(asked as ResponseStreamParams);
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    for (const { output } of [whole, await stream.finalResponse()]) {
      expect(searchesOf(output)).toMatchObject([found('Lindow tower'), found('Lindow mill')]);
      expect(new Set(output.map(({ id }) => id)).size).toBe(output.length);
      expect(output.at(-1)).toMatchObject({ type: 'message', status: 'completed' });
    }
    const ofSearches = types.filter((type) => type.startsWith('response.web_search_call'));
    for (const state of ['in_progress', 'searching', 'completed'])
      expect(ofSearches.filter((type) => type.endsWith(state))).toHaveLength(2);
    expect(types.indexOf('response.output_item.added')).toBeLessThan(types.indexOf(ofSearches[0]!));
  });

  it('has no sources unless they are asked for, and says where it failed', async () => {
    world.upstream.script(answers);
    const { output } = await client().create({ ...asked, include: [] });
    expect(searchesOf(output).map((item) => at(item, 'action', 'sources'))).toEqual([
      undefined,
      undefined,
    ]);
    world.upstream.script(answers);
    search.status = 500;
    const failed = await client().create(asked);
    search.status = 200;
    expect(searchesOf(failed.output)).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
  });

  it('comes back with the next turn without harm, to every dialect', async () => {
    for (const model of everyModel) {
      world.upstream.script([...answers, { text: ['Yes.'] }]);
      const first = await client().create(asked);
      const input = [...first.output, { role: 'user', content: 'Sure?' }] as ResponseInput;
      const { output_text, ...rest } = await client().create({ model, input, tools: [] });
      expect(output_text).toBe('Yes.');
      expect(at(rest, 'warnings')).toBeUndefined();
      expect(JSON.stringify(world.sent())).not.toMatch(/ws_sbx|web_search_call/);
      world.upstream.script([{ text: ['Yes.'] }]);
      const chained = { model, input: 'Sure?', previous_response_id: first.id };
      expect((await client().create(chained)).output_text).toBe('Yes.');
      expect(JSON.stringify(world.sent())).toContain('I look.');
    }
  });

  it.each(chatAndClaude)(
    'is shown by the AI SDK, which names it in its next turn, with %s',
    async (model) => {
      const openai = createOpenAI({ apiKey: world.key, baseURL: `${world.url}/v1` });
      const tools = Object.assign({} as ToolSet, { web_search: openai.tools.webSearch({}) });
      world.upstream.script(answers);
      const question = { role: 'user' as const, content: 'How tall?' };
      const first = streamText({ model: openai(model), tools, messages: [question] });
      const { messages } = await first.response;
      expect((await first.toolCalls).map(({ toolName }) => toolName)).toEqual([
        'web_search',
        'web_search',
      ]);
      expect(await first.text).toContain('312 metres');
      expect((await first.sources).length).toBeGreaterThan(0);
      world.upstream.script([{ text: ['Yes.'] }]);
      const next = [question, ...messages, { role: 'user' as const, content: 'Sure?' }];
      const { text } = await generateText({ model: openai(model), tools, messages: next });
      expect(text).toBe('Yes.');
      expect(JSON.stringify(world.sent())).toContain('312 metres');
    },
  );

  it.each(['web_search', 'web_search_preview'])(
    'is made where the choice forces %s',
    async (type) => {
      const forced = { input: body.input, tools: [{ type }], tool_choice: { type } };
      search.queries.length = 0;
      world.upstream.script([{ toolCalls: [call('s1', 'Lindow')] }, { text: ['312 m [1].'] }]);
      const { json } = await world.ask(forced);
      expect(search.queries).toEqual(['Lindow']);
      expect(outputOf(json).map((item) => textAt(item, 'type'))).toEqual([
        'web_search_call',
        'message',
      ]);
      const unable = { ...forced, tools: [{ type }, { type: 'mcp', server_label: 'x' }] };
      expect(await world.ask(unable)).toMatchObject({ status: 400 });
    },
  );

  it('is no item where the client did not ask with that tool', async () => {
    world.upstream.script(answers);
    const { json } = await world.ask({ input: body.input, plugins: [{ id: 'web' }] });
    expect(outputOf(json).map((item) => textAt(item, 'type'))).not.toContain('web_search_call');
  });
});
