import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endProcesses, type GatewayProcess, startProcess } from '../helpers/process.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const readers = 200;
const answerLength = 5_000_000;
/** Of 200 readers of 5 MB, turns that are stored included. */
const maxRssBytes = 1_200_000_000;

let upstream: Upstream;
let gateway: GatewayProcess;

beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
  const body = Buffer.from(
    JSON.stringify({
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'word '.repeat(answerLength / 5) },
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    }),
  );
  upstream.script([{ raw: body, contentType: 'application/json' }]);
  gateway = await startProcess({
    env: {
      NODE_OPTIONS: `--import ${new URL('../helpers/loop-gaps.mjs', import.meta.url).href}`,
    },
    config: JSON.stringify({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      limits: { maxRetries: 0, maxBytesInProgress: 2e9, maxAccountBytesInProgress: 2e9 },
    }),
  });
}, 120_000);
afterAll(async () => {
  await endProcesses();
  await upstream.close();
});

/** Resolves once the answer has begun; reads no more of it. */
const open = (store: boolean): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${gateway.url}/api/v1/completions`,
      { method: 'POST', headers: { ...gateway.auth, 'content-type': 'application/json' } },
      (response) => {
        response.pause();
        if (response.statusCode === 200) resolve(() => response.destroy());
        else reject(new Error(`status ${response.statusCode}`));
      },
    );
    sent.on('error', () => undefined);
    sent.end(
      JSON.stringify({
        models: ['up/m'],
        messages: [{ role: 'user', content: `Tell me ${Math.random()}` }],
        store,
      }),
    );
  });

let reports = 0;
async function rss(): Promise<number> {
  gateway.signal('SIGUSR2');
  const [, bytes] = await gateway.printed(new RegExp(`^gap ${++reports}: .* rss (\\d+)$`, 'm'));
  return Number(bytes);
}

it.each([false, true])(
  'answers of 5 MB that 200 clients do not read stay below 1.2 GB in all (stored: %s)',
  async (store) => {
    const closing: (() => void)[] = [];
    for (let at = 0; at < readers; at += 10)
      closing.push(...(await Promise.all(Array.from({ length: 10 }, () => open(store)))));
    const taken = await rss();
    for (const close of closing) close();
    expect(taken).toBeLessThan(maxRssBytes);
  },
);
