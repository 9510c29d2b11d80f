import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { requestOf, streamedRows, type Way } from '../helpers/ways.js';
import { until } from '../helpers/until.js';

const piece = 'x'.repeat(32 * 1024);
const pieces = 1_000;
const chunk = (content: string, finish: string | null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

/** A provider that writes as fast as it can, and counts what it wrote. */
interface Flood {
  server: Server;
  written: number;
  closed: boolean;
}

let flood: Flood;
let gateway: RunningGateway;

async function pour(res: ServerResponse): Promise<void> {
  let drained: (value: unknown) => void = () => undefined;
  res.on('drain', () => drained(null)).on('close', () => drained(null));
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const frame = chunk(piece, null);
  for (let n = 0; n < pieces && !res.destroyed; n++) {
    flood.written = n + 1;
    if (!res.write(frame)) await new Promise((resolve) => (drained = resolve));
  }
  res.end(`${chunk('', 'stop')}data: [DONE]\n\n`);
}

beforeEach(async () => {
  const server = createServer((req, res) => {
    req.resume();
    res.once('close', () => (flood.closed = true));
    void pour(res);
  });
  flood = { server, written: 0, closed: false };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  gateway = await startGateway({
    providers: {
      up: {
        api: 'openai-compatible',
        baseUrl: `http://127.0.0.1:${port}/v1`,
        timeouts: { firstEventMs: 60_000, idleMs: 400 },
      },
    },
  });
});
afterEach(async () => {
  await gateway.close();
  flood.server.closeAllConnections();
  flood.server.close();
});

/** Sends the request and does not read the answer. */
async function openUnread(way: Way): Promise<IncomingMessage> {
  const { url, body } = requestOf(gateway, way, { models: ['up/m'] });
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', ...gateway.auth },
      },
      resolve,
    );
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

/** Waits until the provider cannot write more. @returns how many pieces it wrote */
async function stalledAt(): Promise<number> {
  for (let before = -1, still = 0; still < 3;) {
    await pause(40);
    still = flood.written === before && flood.written > 0 ? still + 1 : 0;
    before = flood.written;
  }
  return flood.written;
}

/** Counts the bytes: parsing 64 MB would take longer than sending them. */
async function readAll(
  response: IncomingMessage,
): Promise<{ frames: number; length: number; end: string }> {
  const read = { frames: 0, length: 0, end: '' };
  let carried = Buffer.alloc(0);
  for await (const bytes of response as AsyncIterable<Buffer>) {
    const joined = Buffer.concat([carried, bytes]);
    for (let at = joined.indexOf('data: '); at !== -1; at = joined.indexOf('data: ', at + 1))
      read.frames++;
    carried = joined.subarray(-5);
    read.length += bytes.length;
    read.end = joined.subarray(-400).toString('latin1');
  }
  return read;
}

describe('a client that does not read', () => {
  it.each(streamedRows)(
    'makes the provider wait instead of filling the memory, asked %s',
    async (_name, way) => {
      const before = process.memoryUsage().arrayBuffers;
      const response = await openUnread(way);
      // of 32 MB; the buffers of the four sockets on the way are far smaller
      expect(await stalledAt()).toBeLessThan(pieces * 0.6);
      const held = process.memoryUsage().arrayBuffers - before;
      expect(held).toBeLessThan(200 * 1024 * 1024);
      response.destroy();
    },
  );

  it.each(streamedRows)(
    'does not make the provider count as silent, and receives everything in the end, asked %s',
    async (_name, way) => {
      const response = await openUnread(way);
      await stalledAt();
      // twice the provider's idle timeout
      for (let n = 0; n < 10; n++) await pause(80);
      const { frames, length, end } = await readAll(response);
      expect(end).toMatch(/data: \[DONE\]\n\n$/);
      // the end of a stream is two or three more frames
      expect(frames - pieces).toBeOneOf([2, 3]);
      expect(length).toBeGreaterThan(pieces * piece.length * (way.surface === 'native' ? 2 : 1));
      expect(flood.written).toBe(pieces);
    },
  );

  it.each(streamedRows)('ends the upstream call when it leaves, asked %s', async (_name, way) => {
    const response = await openUnread(way);
    const written = await stalledAt();
    response.destroy();
    await until(() => flood.closed);
    expect(flood.written).toBeLessThan(written + 20);
  });
});
