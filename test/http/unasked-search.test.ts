import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import {
  asAsked,
  searchAnswerOf,
  searchingProviders,
  streamedAnswer,
  wholeAnswer,
} from '../helpers/native-search.js';
import { fillWorld, researcher } from '../helpers/research-upstream.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Is Heron 4.0 out?' }];
const heron = 'https://heron.example/releases';
const sonar = 'pplx/sonar';
const answer = searchAnswerOf(sonar);
let upstream: Upstream;
let world: SearchWorld;
let gateway: RunningGateway;

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream({ hasLists: false }), startSearchWorld()]);
  fillWorld(world, 2);
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    auth: { keys: [{ name: 'test', key: 'sk_unasked_0123456789', toolkits: ['*'] }] },
    providers: searchingProviders(upstream.url),
    models: { 'plain/caller': { tools: true } },
    search: {
      engines: [{ type: 'searxng', url: world.url }],
      allowPrivateHosts: [world.host],
      cacheMs: 0,
    },
    toolkits: {
      local: {
        type: 'functions',
        functions: [{ name: 'lookup', description: 'Looks up', url: `${world.url}/lookup` }],
      },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([upstream.close(), world.close()]);
});
beforeEach(() => {
  upstream.script([asAsked(answer)]);
  upstream.requests.length = world.queries.length = 0;
});

const complete = (body: object = {}): Promise<Reply> =>
  post(`${gateway.url}/api/v1/completions`, { messages, models: [sonar], ...body }, gateway.auth);

/** What the numbers in a text mean, by the places of the citations. */
const citedUrls = (message: unknown): unknown[] =>
  listAt(message, 'citations').map((citation) => [
    numberAt(citation, 'start'),
    numberAt(citation, 'end'),
    listAt(message, 'sources').find(
      (source) => numberAt(source, 'id') === numberAt(citation, 'source'),
    ),
  ]);

describe('a model that always searches, where the client asked for no search', () => {
  const { text } = answer.found;
  const marker = text.indexOf('[2]');

  it('names the sources of its numbers, streamed as whole', async () => {
    upstream.script([wholeAnswer(answer)]);
    const whole = at((await complete()).json, 'message');
    upstream.script([streamedAnswer(answer)]);
    const streamed = at((await complete()).json, 'message');
    expect(streamed).toEqual(whole);
    expect(citedUrls(whole)).toMatchObject([[marker, marker + 3, { id: 2, url: heron }]]);
    const { events } = await postStream(
      `${gateway.url}/api/v1/completions`,
      { messages, models: [sonar], stream: true },
      { headers: gateway.auth },
    );
    for (const field of ['sources', 'citations'])
      expect(at(events.at(-1), 'message', field)).toEqual(at(whole, field));
  });

  it('annotates its answer over OpenAI’s API, streamed as whole', async () => {
    const url = `${gateway.url}/v1/chat/completions`;
    upstream.script([wholeAnswer(answer)]);
    const { json } = await post(url, { messages, model: sonar }, gateway.auth);
    const annotations = listAt(json, 'choices', 0, 'message', 'annotations');
    expect(annotations).toMatchObject([
      { url_citation: { url: heron, start_index: marker, end_index: marker + 3 } },
    ]);
    upstream.script([streamedAnswer(answer)]);
    const { events } = await postStream(
      url,
      { messages, model: sonar, stream: true },
      { headers: gateway.auth },
    );
    const streamed = events.flatMap((event) =>
      listAt(event, 'choices').flatMap((choice) => listAt(choice, 'delta', 'annotations')),
    );
    expect(streamed).toEqual(annotations);
  });

  it('is cited once where the request has toolkits, and keeps its links', async () => {
    const { json } = await complete({ toolkits: ['local'] });
    expect(textAt(json, 'message', 'content', 0, 'text')).toBe(text);
    expect(citedUrls(at(json, 'message'))).toMatchObject([
      [expect.any(Number), marker, { id: 2, url: heron }],
    ]);
  });
});

describe('a model that always searches, where the gateway searches for it', () => {
  it('is asked not to search, so that its numbers mean the gateway’s pages', async () => {
    const step = { text: ['Heron 4.0 is out [1].'] };
    upstream.script([step]);
    const { json } = await complete({ search: { mode: 'once' } });
    expect(upstream.requests[0]!.body).toMatchObject({ disable_search: true });
    expect(upstream.requests[0]!.body).not.toHaveProperty('web_search_options');
    expect(listAt(json, 'message', 'sources')).toMatchObject([
      { id: 1, via: 'searxng', cited: true },
      { id: 2, via: 'searxng', cited: false },
    ]);
    expect(at(json, 'grounding')).toMatchObject({ engine: 'searxng', searches: 1 });
  });

  it('does not search in research either', async () => {
    upstream.script([researcher()]);
    const { status, json } = await complete({ research: { effort: 'low' } });
    expect(status).toBe(200);
    expect(upstream.requests.length).toBeGreaterThan(3);
    for (const { body } of upstream.requests) expect(body).toMatchObject({ disable_search: true });
    expect(listAt(json, 'message', 'citations').length).toBeGreaterThan(0);
  });
});
