import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask, ways } from '../helpers/ways.js';

const nativeWhole = ways[1]!;
const frame = (delta: object): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
const answers: Record<string, Buffer> = {
  content: frame({ content: 'x'.repeat(1024 * 1024) }),
  openings: frame({ role: 'assistant', content: '', filler: 'x'.repeat(1024 * 1024) }),
};

let babbler: Server;
let gateway: RunningGateway;
beforeAll(async () => {
  babbler = createServer((req, res) => {
    const event = answers[(req.url ?? '').split('/')[1] ?? ''];
    const more = (): void => {
      while (!res.destroyed && res.write(event));
    };
    res.writeHead(200, { 'content-type': 'text/event-stream' }).on('drain', more);
    more();
  });
  await new Promise<void>((resolve) => babbler.listen(0, '127.0.0.1', resolve));
  const at = (path: string) => ({
    api: 'openai-compatible',
    baseUrl: `http://127.0.0.1:${(babbler.address() as AddressInfo).port}/${path}`,
  });
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: { content: at('content'), openings: at('openings') },
  });
});
afterAll(async () => {
  await gateway.close();
  babbler.closeAllConnections();
  babbler.close();
});

describe('a provider that does not stop', () => {
  it.each([
    ['content, for a client that waits for the whole answer', 'content'],
    ['openings before any content', 'openings'],
  ])('with %s is left at 64 MiB', async (_what, provider) => {
    expect(await ask(gateway, nativeWhole, { models: [`${provider}/m`] })).toMatchObject({
      status: 502,
      message: expect.stringContaining('larger than 64 MiB') as string,
    });
  });
});
