import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { at, listAt } from '../../helpers/json.js';
import {
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
