import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { sendRequest } from '../chaos/client.js';
import { startProviders } from '../chaos/provider.js';
import { requestOf } from '../chaos/script.js';
import { configFor, keyOf } from '../chaos/worlds.js';
import { listAt, textAt } from '../helpers/json.js';
import { endProcesses, type GatewayProcess, startProcess } from '../helpers/process.js';
import { articlePage, startSearchWorld } from '../helpers/search-world.js';
import { post } from '../helpers/sse.js';
import { startUpstream, type Step } from '../helpers/upstream.js';
import { type Growth, growthOf, type Sample } from './growth.js';

export interface SoakOptions {
  readonly minutes: number;
  /** Requests a second; one in ten searches. */
  readonly rate: number;
  readonly seed: number;
  readonly sampleMs: number;
  /**
   * Quick requests before the first sample. The gateway remembers 20,000 conversations: it grows until
   * it has met so many.
   */
  readonly before?: number;
  readonly onSample?: (sample: Sample) => void;
}

export interface SoakReport {
  readonly samples: readonly Sample[];
  readonly growth: readonly Growth[];
  /** How requests ended, and how many searches. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Of the samples, before lines are fitted: caches fill and code is compiled. */
const warmUp = 1 / 3;
/** A gateway that is slower than its load is not given more. */
const maxInFlight = 200;

/**
 * Runs a gateway under a mixed load: whole answers, streams, streams whose clients leave, failures
 * of providers, and searches.
 */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { seed } = options;
  const [providers, world, upstream] = await Promise.all([
    startProviders(seed),
    startSearchWorld(),
    startUpstream({ hasLists: false }),
  ]);
  world.pages = [{ title: 'Tower', url: `${world.url}/tower`, text: 'All about the tower.' }];
  world.web = { '/tower': articlePage('Tower', 'The tower is 312 metres tall. '.repeat(10)) };
  upstream.script([
    ({ body }) => {
      upstream.requests.length = 0;
      return searching(body);
    },
  ]);
  const config = configFor(providers.url, 'one', { budgetUsd: 1000 });
  try {
    const gateway = await startProcess({
      config: JSON.stringify({
        ...config,
        providers: {
          ...config.providers,
          up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, listModels: false },
        },
        models: { ...config.models, 'up/m': { inputPrice: 1, outputPrice: 1, tools: true } },
        search: {
          engines: [{ type: 'searxng', url: world.url }],
          allowPrivateHosts: [world.host],
        },
      }),
      env: {
        NODE_OPTIONS: `--import ${new URL('./heap-report.mjs', import.meta.url).href}`,
      },
    });
    return await soak(gateway, options);
  } finally {
    await endProcesses();
    await Promise.all([providers.close(), world.close(), upstream.close()]);
  }
}

/** A model that searches once, where it has the tool, and then answers. */
function searching(body: unknown): Step {
  if (listAt(body, 'tools').length === 0) return {};
  const isTold = textAt(listAt(body, 'messages').at(-1), 'role') === 'tool';
  return isTold
    ? { text: ['It is 312 metres tall', ' [1].'] }
    : { toolCalls: [{ name: 'web_search', arguments: { query: 'tower height' } }] };
}

async function soak(gateway: GatewayProcess, options: SoakOptions): Promise<SoakReport> {
  const { minutes, rate, seed, sampleMs } = options;
  const counts: Record<string, number> = {};
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  await fillCaches(gateway.url, options.before ?? 0);
  const startedAt = performance.now();
  const endsAt = startedAt + minutes * 60_000;
  let [id, inFlight] = [0, 0];
  const send = async (): Promise<void> => {
    inFlight++;
    id++;
    if (id % 10 === 0)
      count(`search: ${await complete(gateway.url, `How tall is tower ${id}?`, { search: true })}`);
    else {
      const request = requestOf(seed, id);
      count((await sendRequest(gateway.url, keyOf(request.key), request)).ending);
    }
    inFlight--;
  };
  const ticking = setInterval(() => {
    if (inFlight < maxInFlight) void send();
  }, 1000 / rate);
  const samples: Sample[] = [];
  while (performance.now() < endsAt) {
    await wait(sampleMs);
    const sample = await look(gateway, (performance.now() - startedAt) / 1000, samples.length);
    samples.push(sample);
    options.onSample?.(sample);
  }
  clearInterval(ticking);
  while (inFlight > 0) await wait(50);
  return { samples, counts, growth: growthOf(samples, warmUp) };
}

async function fillCaches(url: string, requests: number): Promise<void> {
  let left = requests;
  const client = async (): Promise<void> => {
    while (left-- > 0) await complete(url, `Warm up ${left}`, {});
  };
  await Promise.all(Array.from({ length: 20 }, client));
}

/** @returns the status; 0: the connection broke */
function complete(url: string, content: string, more: object): Promise<number> {
  const body = { models: ['up/m'], messages: [{ role: 'user', content }], ...more };
  const headers = { authorization: `Bearer ${keyOf('free')}` };
  return post(`${url}/api/v1/completions`, body, headers).then(
    ({ status }) => status,
    () => 0,
  );
}

/** What the process takes now. `n`: how often it was asked before. */
async function look(gateway: GatewayProcess, seconds: number, n: number): Promise<Sample> {
  const { pid } = gateway;
  const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  gateway.signal('SIGUSR2');
  const pattern = new RegExp(`^look ${n + 1}: heap (\\d+) beside (\\d+) handles (\\d+)$`, 'm');
  const [heap = 0, external = 0, handles = 0] = (await gateway.printed(pattern))
    .slice(1)
    .map(Number);
  return {
    seconds,
    handles,
    rssMb: rssKb / 1024,
    heapMb: heap / 2 ** 20,
    externalMb: external / 2 ** 20,
    fds: readdirSync(`/proc/${pid}/fd`).length,
  };
}
