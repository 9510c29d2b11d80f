import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import { endProcesses, type GatewayProcess, newFolder, startProcess } from '../helpers/process.js';
import { fillWorld, researcher } from '../helpers/research-upstream.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { ask, post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const key = 'sk_research_kill_0123456789';
const headers = { authorization: `Bearer ${key}` };
const searchUsd = 0.001;
const tokenUsd = 2e-6;
/** A run works on as many steps at once. */
const maxUnderWay = 4;
const body = {
  messages: [{ role: 'user', content: 'How is the tower?' }],
  models: ['up/large', 'up/small'],
  order: 'given',
};
const research = { effort: 'high', maxSteps: 150 };
let upstream: Upstream;
let world: SearchWorld;
/** Called when a request arrives at the provider, the engine or a page. */
let arrived: () => void = () => undefined;

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream({ hasLists: false }), startSearchWorld()]);
  const answer = researcher({ questions: 2 });
  upstream.script([
    (call) => {
      arrived();
      return answer(call);
    },
  ]);
  world.arrived = async () => arrived();
  fillWorld(world, 2);
});
afterEach(endProcesses);
afterAll(() => Promise.all([upstream.close(), world.close()]));
beforeEach(forget);

function forget(): void {
  upstream.requests.length = world.queries.length = world.read.length = 0;
}

const configuration = (): string => `
limits: { maxRetries: 0 }
auth: { keys: [{ name: kill, key: ${key} }] }
providers: { up: { api: openai-compatible, baseUrl: "${upstream.url}/v1" } }
models: { up/large: { inputPrice: 2, outputPrice: 2 }, up/small: { inputPrice: 2, outputPrice: 2 } }
search:
  engines: [{ type: searxng, url: "${world.url}", pricePerThousand: ${searchUsd * 1_000} }]
  allowPrivateHosts: ["${world.host}"]
  cacheMs: 0
`;

const start = (folder: string): Promise<GatewayProcess> =>
  startProcess({ folder, config: configuration() });

const urlsIn = (answer: unknown): string[] =>
  listAt(answer, 'message', 'sources')
    .map((source) => textAt(source, 'url'))
    .sort();

/** What was asked for more than once, since `forget`. */
const repeated = (asked: readonly string[]): number => asked.length - new Set(asked).size;

/** USD that the account is charged, by its requests, of which there are so many. */
async function charged(gateway: GatewayProcess, requests: number): Promise<number> {
  const { json } = await ask('GET', `${gateway.url}/api/v1/requests?limit=100`, headers);
  expect(listAt(json, 'items')).toHaveLength(requests);
  return listAt(json, 'items').reduce<number>((sum, row) => sum + numberAt(row, 'costUsd'), 0);
}

describe('a research run over HTTP that is killed', () => {
  it('goes on from its notes, whichever step was under way, without losing a source or paying for one twice', async () => {
    let count = 0;
    arrived = () => count++;
    const folder = newFolder();
    // each goes on with the run of the one before, and is killed in the next
    let gateway = await start(folder);
    const { json: whole } = await post(
      `${gateway.url}/api/v1/completions`,
      { ...body, research },
      headers,
    );
    const [total, calls, reads] = [count, upstream.requests.length, world.read.length];
    expect(urlsIn(whole)).toHaveLength(8);
    expect([reads, world.queries.length, total]).toEqual([8, 4, calls + 12]);
    let paid = await charged(gateway, 1);
    for (let killedAt = 1; killedAt <= total; killedAt++) {
      forget();
      const first = gateway;
      count = 0;
      arrived = () => {
        if (++count === killedAt) first.signal('SIGKILL');
      };
      const { events } = await postStream(
        `${first.url}/api/v1/completions`,
        { ...body, research, stream: true },
        { headers },
      ).catch(() => ({ events: [] as unknown[] }));
      await first.ended;
      arrived = () => undefined;
      const resume = textAt(events[0], 'responseMessageId');
      const queriesBefore = world.queries.length;
      gateway = await start(folder);
      const { json: answer, status } = await post(
        `${gateway.url}/api/v1/completions`,
        { ...body, research: { ...research, resume } },
        headers,
      );
      const about = `killed at ${killedAt} of ${total}`;
      expect([about, status, at(answer, 'grounding', 'stoppedBy')]).toEqual([about, 200, null]);
      expect(urlsIn(answer)).toEqual(urlsIn(whole));
      // what was under way is done again, and nothing else
      expect(repeated(world.queries)).toBeLessThanOrEqual(maxUnderWay);
      expect(repeated(world.read)).toBeLessThanOrEqual(maxUnderWay);
      expect(upstream.requests.length - calls).toBeLessThanOrEqual(maxUnderWay);
      const tokens =
        numberAt(answer, 'usage', 'promptTokens') + numberAt(answer, 'usage', 'completionTokens');
      const searches = world.queries.length - queriesBefore;
      const sum = await charged(gateway, killedAt + 1);
      expect(sum - paid).toBeCloseTo(tokens * tokenUsd + searches * searchUsd, 9);
      paid = sum;
    }
  }, 900_000);
});
