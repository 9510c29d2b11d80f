import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt } from '../helpers/json.js';
import { ask } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';
import { type AgentRun, type Desk, newDesk, type Target } from './agents.js';
import { allSteps, playTask, turnUsage } from './scripted-model.js';

/** The dialects of the scripted providers, each with the end of its paths. */
const providers = {
  'openai-compatible': /\/chat\/completions$/,
  'openai-responses': /\/responses$/,
  anthropic: /\/messages(\?|$)/,
  gemini: /:streamGenerateContent\?alt=sse$/,
  bedrock: /\/converse-stream$/,
} as const;
export type Api = keyof typeof providers;
export const apis = Object.keys(providers) as Api[];

/** A first answer breaks off, and then there is none. */
export const death: readonly Step[] = [
  { reset: 'afterContent', text: ['Let', ' me', ' see.'] },
  { status: 503 },
];

const basePaths: Partial<Record<Api, string>> = {
  'openai-compatible': '/v1',
  'openai-responses': '/v1',
  gemini: '/v1beta',
};
/** How often the gateway asks one model for one request, by its default `maxRetries`. */
export const attemptsEach = 3;
const prices = { inputPrice: 1, cachedInputPrice: 0.1, outputPrice: 2 };
const turnUsd =
  ((turnUsage.prompt - turnUsage.cached) * prices.inputPrice +
    turnUsage.cached * prices.cachedInputPrice +
    turnUsage.completion * prices.outputPrice) /
  1e6;

/** An agent before a gateway with scripted providers. */
export interface Scene {
  gateway: RunningGateway;
  upstream: Upstream;
  desk: Desk;
  /** The statuses that the agent got, without those of refused WebSockets. */
  statuses: number[];
  /** The statuses that it got where it asked for a WebSocket. */
  upgrades: number[];
  /** Where to send an agent that asks for a model. @param below the path of a pass-through */
  target(model: string, below?: string): Target;
  /** The request log once it holds a number of requests. */
  log(requests: number): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

interface Staging {
  /** Fills the context at the tenth step. */
  fills?: boolean;
  aliases?: Record<string, string | string[]>;
  /** The provider `dying` takes these steps, the last for ever, once `after` files are there. */
  dies?: { api: Api; after: number; steps: readonly Step[] };
}

/** One provider for each dialect, named after it, and `dying` where one is to die. */
export async function setScene({ fills = false, aliases = {}, dies }: Staging): Promise<Scene> {
  const upstream = await startUpstream({ hasLists: false });
  const desk = newDesk();
  const model = playTask(desk.work, fills ? 10 : undefined);
  let deaths = 0;
  upstream.script([
    (call) => {
      if (!dies || !isToDying(call) || readdirSync(desk.work).length < dies.after)
        return model(call);
      return dies.steps[deaths++] ?? dies.steps.at(-1) ?? {};
    },
  ]);
  const provider = (api: Api, below = '') => ({
    api,
    baseUrl: `${upstream.url}${below}${basePaths[api] ?? ''}`,
    apiKey: 'k',
    ...(api === 'bedrock' ? { region: 'eu-west-1' } : {}),
  });
  const gateway = await startGateway({
    providers: {
      ...Object.fromEntries(apis.map((api) => [api, provider(api)])),
      // speaks chat, and Responses where a model needs it
      openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k' },
      ...(dies ? { dying: provider(dies.api, '/dying') } : {}),
    },
    models: {
      ...Object.fromEntries(apis.map((api) => [`${api}/m`, { ...prices, quality: 0.7 }])),
      ...(dies ? { 'dying/m': { ...prices, quality: 0.99 } } : {}),
    },
    aliases,
  });
  const statuses: number[] = [];
  const upgrades: number[] = [];
  gateway.server.on('request', ({ headers }, response) =>
    response.once('close', () =>
      (headers.upgrade === undefined ? statuses : upgrades).push(response.statusCode),
    ),
  );
  return {
    gateway,
    upstream,
    desk,
    statuses,
    upgrades,
    target: (name, below = '') => ({ url: gateway.url + below, key: gateway.key, model: name }),
    async log(requests) {
      let rows: Record<string, unknown>[] = [];
      await until(async () => {
        const { json } = await ask('GET', `${gateway.url}/api/v1/requests?limit=100`, gateway.auth);
        rows = listAt(json, 'items') as Record<string, unknown>[];
        return rows.length >= requests;
      });
      return rows;
    },
    async close() {
      await gateway.close();
      await upstream.close();
      desk.remove();
    },
  };
}

/** Whether a request went to the provider that is to die. */
export const isToDying = ({ path }: UpstreamCall): boolean => path.startsWith('/dying/');

/** The agent ended well, and every file of the task is there. */
export function expectDone(run: AgentRun, { desk }: Scene): void {
  expect(run.code, run.stdout + run.stderr).toBe(0);
  expect(readdirSync(desk.work).sort()).toEqual(allSteps);
}

/** Each request to a provider is a row of the log, with its usage and cost and without a failure. */
export async function expectLogged({ upstream, log }: Scene, provider: Api): Promise<void> {
  const calls = upstream.requests;
  for (const { path } of calls) expect(path).toMatch(providers[provider]);
  const rows = await log(calls.length);
  expect(rows).toHaveLength(calls.length);
  for (const row of rows)
    expect(row).toMatchObject({
      provider,
      model: 'm',
      status: 200,
      completionTokens: turnUsage.completion,
    });
  const usual = rows.filter((row) => row['promptTokens'] === turnUsage.prompt);
  for (const row of usual) expect(row['costUsd']).toBeCloseTo(turnUsd, 9);
  // the one answer that fills the context, if any
  expect(rows.length - usual.length).toBeLessThanOrEqual(1);
}
