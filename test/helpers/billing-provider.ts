import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A provider that speaks OpenAI's chat API and embeddings, and keeps a bill of its own. */
export interface BillingProvider {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** What it has billed so far, in USD. */
  readonly billUsd: number;
  /** How many requests it has billed. */
  readonly billed: number;
  close(): Promise<void>;
}

/** What it bills by, in USD for a token and in tokens. */
export interface Tariff {
  readonly inputUsd: number;
  readonly outputUsd: number;
  readonly contextLength: number;
  readonly maxOutput: number;
  readonly fileTokens: number;
}

type Body = Record<string, unknown>;

/** How a request goes on after it has been billed. */
const endings = [
  'whole',
  'whole',
  'without usage',
  'hang',
  'slow',
  'cut',
  'reset',
  'garbage',
  'error under 200',
  'proxy failure',
] as const;
/** How it is refused before it is billed. */
const refusals = [429, 500, 503] as const;

/**
 * Starts it. It bills each request that it takes as soon as it arrives: a token for each byte of the
 * prompt, files as long as the model can read, twice the price for a cache of an hour, and answers
 * of the length that was allowed and the model can write, whether anybody reads them or not.
 * @param random numbers from 0 to 1
 */
export async function startBillingProvider(
  tariff: Tariff,
  random: () => number,
): Promise<BillingProvider> {
  let billUsd = 0;
  let billed = 0;
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const server = createServer((req, res) => {
    void serve(req, res).catch(() => res.destroy());
  });
  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    const raw = Buffer.concat(pieces);
    const body = JSON.parse(raw.toString('utf8')) as Body;
    if (random() < 0.15) {
      answer(res, pick(refusals), { error: { message: 'not now' } });
      return;
    }
    const isEmbedding = req.url?.endsWith('/embeddings') ?? false;
    const used = isEmbedding
      ? { prompt: Buffer.byteLength(JSON.stringify(body['input'])), completion: 0 }
      : usageOf(body, raw, tariff);
    const rate = raw.includes('"1h"') ? 2 : 1;
    billUsd += used.prompt * rate * tariff.inputUsd + used.completion * tariff.outputUsd;
    billed++;
    await finish(res, body, { ...used, longCache: rate === 2, isEmbedding }, pick(endings));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get billUsd() {
      return billUsd;
    },
    get billed() {
      return billed;
    },
    async close() {
      const stopped = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await stopped;
    },
  };
}

interface Used {
  readonly prompt: number;
  readonly completion: number;
}

function usageOf(body: Body, raw: Buffer, tariff: Tariff): Used {
  const messages = Buffer.byteLength(JSON.stringify(body['messages']));
  const files = /"(file|image_url|input_audio|video_url)"/.test(raw.toString('utf8'));
  const asked = Number(body['max_tokens'] ?? body['max_completion_tokens'] ?? Infinity);
  const each = Math.min(asked, tariff.maxOutput);
  return {
    prompt: files ? tariff.fileTokens : Math.min(messages, tariff.contextLength),
    completion: each * Number(body['n'] ?? 1),
  };
}

function answer(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

async function finish(
  res: ServerResponse,
  body: Body,
  used: Used & { longCache: boolean; isEmbedding: boolean },
  ending: (typeof endings)[number],
): Promise<void> {
  if (ending === 'hang') return;
  if (ending === 'reset') {
    res.socket?.resetAndDestroy();
    return;
  }
  if (ending === 'proxy failure') {
    answer(res, 504, { error: { message: 'upstream timed out' } });
    return;
  }
  if (ending === 'slow') await wait(60);
  if (ending === 'garbage' || ending === 'error under 200') {
    answer(res, 200, ending === 'garbage' ? 'hm' : { error: { message: 'no', type: 'server' } });
    return;
  }
  const usage = {
    prompt_tokens: used.prompt,
    completion_tokens: used.completion,
    total_tokens: used.prompt + used.completion,
    ...(used.longCache ? { prompt_tokens_details: { cache_write_tokens: used.prompt } } : {}),
  };
  const told = ending === 'without usage' ? {} : { usage };
  if (used.isEmbedding) {
    answer(res, 200, { object: 'list', data: [{ index: 0, embedding: [0.5] }], ...told });
    return;
  }
  if (body['stream'] !== true) {
    const message = { role: 'assistant', content: 'Hello' };
    answer(res, 200, { id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }], ...told });
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (chunk: object): void => void res.write(`data: ${JSON.stringify(chunk)}\n\n`);
  send({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }] });
  if (ending === 'cut') {
    await wait(10);
    res.destroy();
    return;
  }
  send({ id: 'c', choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: 'stop' }] });
  send({ id: 'c', choices: [], ...told });
  res.end('data: [DONE]\n\n');
}
