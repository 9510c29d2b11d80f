import type { RunningGateway } from './gateway.js';
import type { Tariff } from './billing-provider.js';

/** Prices at which a few hundred answers cost a dollar. */
export const tariff: Tariff = {
  inputUsd: 1e-6,
  outputUsd: 1e-4,
  contextLength: 20_000,
  maxOutput: 400,
  fileTokens: 20_000,
};

/** The models of the provider `up` at these prices, and how long the gateway waits for them. */
export const hostileConfig = (
  url: string,
): Parameters<typeof import('./gateway.js').startGateway>[0] => ({
  auth: {
    keys: [
      { name: 'test', key: 'sk_free' },
      { name: 'dollar', key: 'sk_dollar', limits: { dayBudgetUsd: 1 } },
    ],
  },
  providers: {
    up: {
      api: 'openai-compatible',
      baseUrl: `${url}/v1`,
      timeouts: { firstEventMs: 250, idleMs: 250 },
    },
  },
  models: {
    'up/m': {
      inputPrice: tariff.inputUsd * 1e6,
      outputPrice: tariff.outputUsd * 1e6,
      contextLength: tariff.contextLength,
      maxOutput: tariff.maxOutput,
    },
    'up/other': {
      inputPrice: tariff.inputUsd * 1e6,
      outputPrice: tariff.outputUsd * 1e6,
      contextLength: tariff.contextLength,
      maxOutput: tariff.maxOutput,
    },
    // dear, so that embeddings too come to a dollar
    'up/vectors': { inputPrice: tariff.inputUsd * 1e6, outputPrice: 0 },
  },
  limits: { maxRetries: 2, totalTimeoutMs: 1000 },
});

/** The routes that cost money, and bodies for them. */
export const meteredRoutes = ['native', 'openai', 'embeddings', 'run'] as const;
export type MeteredRoute = (typeof meteredRoutes)[number];

const contents: readonly (() => unknown)[] = [
  () => 'Say hello',
  () => 'word '.repeat(2000),
  () => [{ type: 'text', text: 'Keep this', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  () => [{ type: 'file', file: { file_id: 'file-1' } }],
  () => [{ type: 'image_url', image_url: { url: 'https://example.test/hour.mp4' } }],
  () => [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }],
];
const lengths: readonly object[] = [
  {},
  { max_tokens: 1 },
  { max_tokens: 300 },
  { max_tokens: 1e9 },
  { max_completion_tokens: 200 },
  { max_tokens: 20, n: 8 },
  { service_tier: 'priority' },
  { best_of: 20 },
  // read, if a copy of the body inherits it, but not sent
  JSON.parse('{"__proto__":{"max_tokens":1,"max_completion_tokens":1}}') as object,
];

/** Sends one hostile request, and leaves at a random time or stays. Never rejects. */
async function attack(
  { url, gateway }: RunningGateway,
  route: MeteredRoute,
  random: () => number,
): Promise<void> {
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  // refusals of `run` come without I/O: a thousand in a row would let nothing else happen
  await new Promise(setImmediate);
  const leaving = new AbortController();
  const timer = random() < 0.6 ? setTimeout(() => leaving.abort(), random() * 150) : undefined;
  const stream = random() < 0.5;
  const messages = [{ role: 'user', content: pick(contents)() }];
  const { signal } = leaving;
  try {
    if (route === 'run') {
      const request = { model: 'up/m', messages, ...pick(lengths) } as Parameters<
        typeof gateway.run
      >[0];
      const caller = { account: 'dollar', limits: { dayBudgetUsd: 1 } };
      await gateway.run(request, { caller, signal });
      return;
    }
    const [path, body] = {
      native: [
        '/api/v1/completions',
        {
          messages,
          models: ['up/m', 'up/other'],
          stream,
          ...(random() < 0.5 ? { maxTokens: 100 } : {}),
        },
      ] as const,
      openai: [
        '/v1/chat/completions',
        { model: 'up/m', fallback_models: ['up/other'], messages, stream, ...pick(lengths) },
      ] as const,
      embeddings: [
        '/v1/embeddings',
        { model: 'up/vectors', input: 'word '.repeat(Math.floor(random() * 4000)) },
      ] as const,
    }[route];
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_dollar', 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    await response.text();
  } catch {
    // it left, or was refused
    // it left, or was left
  } finally {
    clearTimeout(timer);
  }
}

/** Numbers from 0 to 1 that repeat for a seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Sends `count` hostile requests, `atOnce` at a time. */
export async function attackAll(
  gateway: RunningGateway,
  routes: readonly MeteredRoute[],
  { count, atOnce, random }: { count: number; atOnce: number; random: () => number },
): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) await attack(gateway, routes[left-- % routes.length]!, random);
  };
  await Promise.all(Array.from({ length: atOnce }, client));
}
