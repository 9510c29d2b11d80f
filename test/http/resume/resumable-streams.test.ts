import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WrittenConfig } from '../../../src/config/config.js';
import { readersOf } from '../../../src/pipeline/resume/recorded-answer.js';
import { answerLogOf } from '../../../src/pipeline/resume/recorded-answers.js';
import { type RunningGateway, startGateway } from '../../helpers/gateway.js';
import { at, textAt } from '../../helpers/json.js';
import { metricOf } from '../../helpers/metrics.js';
import { redisIsThere, type RunningRedis, startRedis } from '../../helpers/redis.js';
import { eventsOf, getStream, lastIdOf, resume, textOf } from '../../helpers/resuming.js';
import { ask, postStream, type StreamOptions, type StreamReply } from '../../helpers/sse.js';
import { until } from '../../helpers/until.js';
import { startUpstream, type Upstream } from '../../helpers/upstream.js';

const words = Array.from({ length: 40 }, (_, index) => `wörd${index} `);
const whole = words.join('');
const messages = [{ role: 'user', content: 'Hi' }];
const keys = [
  { name: 'one', key: 'sk_one_0123456789abcdef' },
  { name: 'two', key: 'sk_two_0123456789abcdef' },
  { name: 'few', key: 'sk_few_0123456789abcdef', limits: { requestsPerMinute: 2 } },
];

let redis: RunningRedis | null = null;
let upstream: Upstream;
const open: RunningGateway[] = [];
const start = async (resumeMs: number, more: WrittenConfig = {}): Promise<RunningGateway> => {
  const gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: { 'up/m': { inputPrice: 1, outputPrice: 1 } },
    limits: { resumeMs },
    auth: { keys },
    ...more,
  });
  open.push(gateway);
  return gateway;
};

beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  upstream = await startUpstream({ hasLists: false });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((gateway) => gateway.close()));
  await upstream.close();
});
afterAll(() => redis?.stop());

/** A way to Redis on which requests can be held up. */
async function startLink(
  to: string,
): Promise<{ url: string; hold: () => void; letGo: () => void; close: () => void }> {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const there = connect(Number(port), hostname);
    sockets.add(socket).add(there);
    socket.pipe(there).pipe(socket);
    for (const side of [socket, there]) side.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${own}`,
    hold: () => sockets.forEach((socket) => socket.pause()),
    letGo: () => sockets.forEach((socket) => socket.resume()),
    close: () => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}

const complete = (
  gateway: RunningGateway,
  options: StreamOptions = {},
  more: object = {},
): Promise<StreamReply> =>
  postStream(
    `${gateway.url}/api/v1/completions`,
    { models: ['up/m'], messages, stream: true, ...more },
    { headers: gateway.auth, ...options },
  );
const idOf = ({ headers }: StreamReply): string => String(headers['responsemessageid']);

describe('a resumable stream', () => {
  it('numbers its events, and says nothing of ids where resuming is off', async () => {
    upstream.script([{ text: words }]);
    const { frames } = await complete(await start(5_000));
    const ids = eventsOf(frames).map(({ id }) => Number(id));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    const off = await start(0);
    const reply = await complete(off);
    expect(reply.frames.some(({ id }) => id !== undefined)).toBe(false);
    expect((await resume(off.url, idOf(reply), { headers: off.auth })).status).toBe(404);
  });

  it('goes on where the client has left it, without a lost or doubled event', async () => {
    const gateway = await start(10_000);
    upstream.script([{ text: words, betweenMs: 5 }]);
    const begun = await complete(gateway, { abortAfterFrames: 7 });
    const rest = await resume(gateway.url, idOf(begun), {
      headers: gateway.auth,
      lastId: lastIdOf(begun.frames),
    });
    expect(rest.status).toBe(200);
    const frames = [...begun.frames, ...rest.frames];
    expect(textOf(frames)).toBe(whole);
    const ids = eventsOf(frames).map(({ id }) => Number(id));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(rest.frames.at(-1)?.data).toBe('[DONE]');
    expect(upstream.requests).toHaveLength(1);
    expect(await metricOf(gateway, 'signalbox_answers_read_again_total', 'how="resumed"')).toBe(1);
  });

  it('can be left again and again', async () => {
    const gateway = await start(10_000);
    upstream.script([{ text: words, betweenMs: 5 }]);
    const begun = await complete(gateway, { abortAfterFrames: 3 });
    const frames = [...begun.frames];
    for (let turn = 0; turn < 5; turn++)
      frames.push(
        ...(
          await resume(gateway.url, idOf(begun), {
            headers: gateway.auth,
            lastId: lastIdOf(frames),
            ...(turn < 4 ? { abortAfterFrames: 4 } : {}),
          })
        ).frames,
      );
    expect(textOf(frames)).toBe(whole);
    expect(frames.at(-1)?.data).toBe('[DONE]');
  });

  it('is read from its start without an id, also when it is whole, and by several', async () => {
    const gateway = await start(10_000);
    upstream.script([{ text: words }]);
    const first = await complete(gateway);
    const again = await Promise.all(
      [1, 2].map(() => resume(gateway.url, idOf(first), { headers: gateway.auth })),
    );
    for (const { frames } of again)
      expect(frames.map(({ id, data }) => [id, data])).toEqual(
        eventsOf(first.frames).map(({ id, data }) => [id, data]),
      );
    const url = `${gateway.url}/api/v1/completions/${idOf(first)}/stream?lastEventId=5`;
    const { frames } = await getStream(url, { headers: gateway.auth });
    expect(frames[0]?.id).toBe('6');
  });

  it('is found by a client that left before the first token', async () => {
    const gateway = await start(10_000, { limits: { resumeMs: 10_000, holdStatusMs: 20 } });
    upstream.script([{ text: words, delayMs: 1_000 }]);
    const begun = await complete(gateway, { abortAfterFrames: 1 });
    const rest = await resume(gateway.url, idOf(begun), { headers: gateway.auth });
    expect(textOf(rest.frames)).toBe(whole);
  });

  it('is 404 for another account, and a bad id is refused', async () => {
    const gateway = await start(10_000);
    const first = await complete(gateway);
    const other = { authorization: `Bearer ${keys[1]?.key ?? ''}` };
    const url = `${gateway.url}/api/v1/completions/${idOf(first)}/stream`;
    expect((await ask('GET', url, other)).status).toBe(404);
    expect((await ask('GET', url)).status).toBe(401);
    expect((await ask('GET', `${url}?lastEventId=x`, gateway.auth)).status).toBe(422);
    expect((await ask('POST', url, gateway.auth, {})).status).toBe(405);
  });

  it('is 404 for a path that leads to the note of an Idempotency-Key', async () => {
    const gateway = await start(10_000);
    await complete(gateway, { headers: { ...gateway.auth, 'idempotency-key': 'k' } });
    const name = `key%2F${createHash('sha256').update('k').digest('hex')}`;
    const url = `${gateway.url}/api/v1/completions/${name}/stream`;
    expect((await ask('GET', url, gateway.auth)).status).toBe(404);
  });

  it('has no name as long as whoever looks for one likes, which Redis would keep', () => {
    expect(answerLogOf('account', '%'.repeat(16_000)).length).toBeLessThan(400);
  });

  it("has no name that is a note of another account's, whatever a host calls its accounts", () => {
    const note = readersOf(answerLogOf('tenant', 'stream'));
    expect(answerLogOf('tenant/stream', 'readers')).not.toBe(note);
  });

  it('waits for its readers again and again without a listener for each time', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): unknown => warnings.push(name);
    process.on('warning', note);
    const gateway = await start(10_000);
    const text = Array.from({ length: 40 }, () => 'x'.repeat(40_000));
    upstream.script([{ text, betweenMs: 2 }]);
    const first = await complete(gateway);
    const again = await resume(gateway.url, idOf(first), { headers: gateway.auth });
    for (const { frames } of [first, again]) expect(textOf(frames)).toBe(text.join(''));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('ends for a client that names an event which there is not, as it has no more', async () => {
    const gateway = await start(600_000);
    const { auth: headers, url } = gateway;
    const rest = await resume(url, idOf(await complete(gateway)), { headers, lastId: '999' });
    expect(rest).toMatchObject({ status: 200, ended: 'end', frames: [] });
  });

  it('is cancelled when nobody has read it for the configured time, and charged once', async () => {
    const gateway = await start(200);
    upstream.script([{ text: words, hang: 'afterContent' }]);
    const begun = await complete(gateway, { abortAfterFrames: 1 });
    await expect(upstream.closed(0)).resolves.toBeNull();
    await until(async () => (await metricOf(gateway, 'signalbox_client_disconnects_total')) === 1);
    expect(await metricOf(gateway, 'signalbox_streams_open')).toBe(0);
    expect(idOf(begun)).not.toBe('');
  });

  it('ends at once when its client cancels it, and what was used is charged once', async () => {
    const gateway = await start(600_000);
    upstream.script([{ text: words, hang: 'afterContent' }]);
    const begun = await complete(gateway, { abortAfterFrames: 1 });
    const url = `${gateway.url}/api/v1/completions/${idOf(begun)}/stream`;
    const other = { authorization: `Bearer ${keys[1]?.key ?? ''}` };
    expect((await ask('DELETE', url, other)).status).toBe(404);
    expect(await metricOf(gateway, 'signalbox_streams_open')).toBe(1);
    const cancelled = await ask('DELETE', url, gateway.auth);
    expect(cancelled).toMatchObject({ status: 204, text: '' });
    await expect(upstream.closed(0)).resolves.toBeNull();
    // a second time changes nothing
    expect((await ask('DELETE', url, gateway.auth)).status).toBe(204);
    const rows = async (): Promise<unknown> =>
      at((await ask('GET', `${gateway.url}/api/v1/requests`, gateway.auth)).json, 'items');
    await until(async () => at(await rows(), 0) !== undefined);
    const costUsd = Number(at(await rows(), 0, 'costUsd'));
    expect(costUsd).toBeGreaterThan(0);
    expect(await rows()).toMatchObject([{ code: 'client_closed' }]);
    const { json } = await ask('GET', `${gateway.url}/api/v1/usage?by=model`, gateway.auth);
    expect(at(json, 'items')).toMatchObject([{ requests: 1, costUsd, clientClosed: 1 }]);
  });

  it('ends for the client that still reads it, and for other readers', async () => {
    const gateway = await start(600_000);
    upstream.script([{ text: words, hang: 'afterContent' }]);
    let cancelling: Promise<unknown> = Promise.resolve();
    const reply = await complete(gateway, {
      onFrame: ({ data = '' }, index) => {
        if (index !== 0) return;
        const id = textAt(JSON.parse(data), 'responseMessageId');
        const url = `${gateway.url}/api/v1/completions/${id}/stream`;
        cancelling = ask('DELETE', url, gateway.auth);
      },
    });
    await cancelling;
    expect(reply.frames.some(({ data }) => data === '[DONE]')).toBe(false);
    await expect(upstream.closed(0)).resolves.toBeNull();
  });

  it('ends with a client that left before it could know its id', async () => {
    const gateway = await start(600_000);
    upstream.script([{ hang: 'beforeHeaders' }]);
    const leaving = new AbortController();
    const asked = fetch(`${gateway.url}/api/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...gateway.auth },
      body: JSON.stringify({ models: ['up/m'], messages, stream: true }),
      signal: leaving.signal,
    });
    await until(() => upstream.requests.length === 1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await expect(upstream.closed(0)).resolves.toBeNull();
  });

  it("is cancelled in OpenAI's own form on the Responses surface", async () => {
    const gateway = await start(600_000);
    upstream.script([{ text: words, hang: 'afterContent' }]);
    const begun = await postStream(
      `${gateway.url}/v1/responses`,
      { model: 'up/m', input: 'Hi', stream: true },
      { headers: gateway.auth, abortAfterFrames: 1 },
    );
    const id = textAt(begun.events[0], 'response', 'id');
    const { json } = await ask('POST', `${gateway.url}/v1/responses/${id}/cancel`, gateway.auth);
    expect(json).toMatchObject({ id, status: 'cancelled' });
    await expect(upstream.closed(0)).resolves.toBeNull();
  });

  it('goes on for as long as somebody reads it', async () => {
    const gateway = await start(1_000);
    upstream.script([{ text: words, betweenMs: 80 }]);
    const begun = await complete(gateway, { abortAfterFrames: 3 });
    const rest = await resume(gateway.url, idOf(begun), {
      headers: gateway.auth,
      lastId: lastIdOf(begun.frames),
    });
    expect(textOf([...begun.frames, ...rest.frames])).toBe(whole);
    expect(rest.frames.at(-1)?.data).toBe('[DONE]');
  });

  it('stores its turn although its client has left', async () => {
    const gateway = await start(10_000);
    upstream.script([{ text: words, betweenMs: 5 }]);
    const begun = await complete(gateway, { abortAfterFrames: 3 });
    const path = `/api/v1/conversations/${String(begun.headers['conversationid'])}/messages`;
    await until(async () => {
      const { json } = await ask('GET', `${gateway.url}${path}`, gateway.auth);
      return at(json, 'items', 1, 'content', 0, 'text') === whole;
    });
  });

  it('tells its failure to the reader that comes back', async () => {
    const gateway = await start(10_000);
    upstream.script([{ text: words, betweenMs: 5, reset: 'afterContent' }]);
    const begun = await complete(gateway, { abortAfterFrames: 1 });
    const rest = await resume(gateway.url, idOf(begun), {
      headers: gateway.auth,
      lastId: lastIdOf(begun.frames),
    });
    expect(rest.frames.some(({ event }) => event === 'error')).toBe(true);
    expect(rest.frames.some(({ data }) => data === '[DONE]')).toBe(false);
  });

  it("is read again in OpenAI's own form on the Responses surface", async () => {
    const gateway = await start(10_000);
    upstream.script([{ text: words, betweenMs: 5 }]);
    const begun = await postStream(
      `${gateway.url}/v1/responses`,
      { model: 'up/m', input: 'Hi', stream: true },
      { headers: gateway.auth, abortAfterFrames: 9 },
    );
    const id = textAt(begun.events[0], 'response', 'id');
    const last = at(begun.events.at(-1), 'sequence_number') as number;
    const url = `${gateway.url}/v1/responses/${id}?stream=true&starting_after=${last}`;
    const rest = await getStream(url, { headers: gateway.auth });
    const events = [...begun.events, ...rest.events];
    expect(events.map((event) => at(event, 'sequence_number'))).toEqual(events.map((_, i) => i));
    expect(at(events.at(-1), 'type')).toBe('response.completed');
    expect(at(events.at(-1), 'response', 'output', 0, 'content', 0, 'text')).toBe(whole);
  });
});

describe.skipIf(!redisIsThere)('a resumable stream of one replica', () => {
  const shared = (prefix: string): Promise<RunningGateway[]> =>
    Promise.all(
      [1, 2].map(() =>
        start(10_000, { redis: { url: redis?.url ?? '' }, metrics: { prefix: `${prefix}_` } }),
      ),
    );

  it('goes on at another, and ends when no replica has a reader', async () => {
    const [one, two] = (await shared('a')) as [RunningGateway, RunningGateway];
    upstream.script([{ text: words, betweenMs: 10 }]);
    const begun = await complete(one, { abortAfterFrames: 5 });
    const rest = await resume(two.url, idOf(begun), {
      headers: two.auth,
      lastId: lastIdOf(begun.frames),
    });
    expect(textOf([...begun.frames, ...rest.frames])).toBe(whole);
    expect(rest.frames.at(-1)?.data).toBe('[DONE]');
  });

  it('is cancelled at another', async () => {
    const [one, two] = (await shared('c')) as [RunningGateway, RunningGateway];
    upstream.script([{ text: words, hang: 'afterContent' }]);
    const begun = await complete(one, { abortAfterFrames: 1 });
    const url = `${two.url}/api/v1/completions/${idOf(begun)}/stream`;
    expect((await ask('DELETE', url, two.auth)).status).toBe(204);
    await expect(upstream.closed(0)).resolves.toBeNull();
  });

  it('counts as a request only where its id is unknown, which has to be waited for', async () => {
    const [, two] = (await shared('d')) as [RunningGateway, RunningGateway];
    const headers = { authorization: `Bearer ${keys[2]?.key ?? ''}` };
    upstream.script([{ text: words }]);
    const begun = await complete(two, { headers });
    for (let n = 0; n < 3; n++)
      expect((await resume(two.url, idOf(begun), { headers })).status).toBe(200);
    const unknown = `${two.url}/api/v1/completions/nobody/stream`;
    const replies = ['GET', 'DELETE', 'GET'].map((method) => ask(method, unknown, headers));
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([404, 429, 429]);
  }, 15_000);

  it('is cancelled at another before its own has reached Redis', async () => {
    const link = await startLink(redis?.url ?? '');
    const metrics = { prefix: 'late_' };
    const one = await start(10_000, { redis: { url: link.url }, metrics });
    const two = await start(10_000, { redis: { url: redis?.url ?? '' }, metrics });
    upstream.script([{ text: words, hang: 'afterContent' }]);
    link.hold();
    const begun = await complete(one, { abortAfterFrames: 1 });
    setTimeout(link.letGo, 1_000);
    const url = `${two.url}/api/v1/completions/${idOf(begun)}/stream`;
    expect((await ask('DELETE', url, two.auth)).status).toBe(204);
    await expect(upstream.closed(0)).resolves.toBeNull();
    await one.close();
    link.close();
  });

  it('has no other to cancel', async () => {
    const [, two] = (await shared('d')) as [RunningGateway, RunningGateway];
    const url = `${two.url}/api/v1/completions/01900000-0000-7000-8000-000000000000/stream`;
    expect((await ask('DELETE', url, two.auth)).status).toBe(404);
  });

  it('tells its client to go on elsewhere when its replica stops', async () => {
    const [one, two] = (await shared('b')) as [RunningGateway, RunningGateway];
    upstream.script([{ text: words, betweenMs: 20 }]);
    let stopping = Promise.resolve();
    const begun = await complete(one, {
      onFrame: (_frame, index) => {
        if (index === 5) stopping = one.gateway.handOver(10_000);
      },
    });
    expect(begun.frames.at(-1)?.event).toBe('moved');
    const rest = await resume(two.url, idOf(begun), {
      headers: two.auth,
      lastId: lastIdOf(begun.frames),
    });
    expect(textOf([...begun.frames, ...rest.frames])).toBe(whole);
    expect(rest.frames.at(-1)?.data).toBe('[DONE]');
    await stopping;
  });

  it('tells a client that has no event yet how it is called, when its replica stops', async () => {
    const [one, two] = (await shared('c')) as [RunningGateway, RunningGateway];
    upstream.script([{ text: words, delayMs: 3_000 }]);
    const asking = postStream(
      `${one.url}/v1/responses`,
      { model: 'up/m', input: 'Hi', stream: true },
      { headers: one.auth },
    );
    await until(() => upstream.requests.length === 1);
    const stopping = one.gateway.handOver(10_000);
    const { frames } = await asking;
    expect(frames.map(({ event }) => event)).toEqual(['moved']);
    const moved: unknown = JSON.parse(frames[0]?.data ?? '');
    expect(moved).toMatchObject({ lastEventId: null });
    const rest = await getStream(
      `${two.url}/v1/responses/${textAt(moved, 'streamId')}?stream=true`,
      { headers: two.auth },
    );
    expect(at(rest.events.at(-1), 'response', 'output', 0, 'content', 0, 'text')).toBe(whole);
    await stopping;
  });

  it('tells a client that comes while its replica stops, and a reader, to go on elsewhere', async () => {
    const [one, two] = (await shared('f')) as [RunningGateway, RunningGateway];
    upstream.script([{ text: words, betweenMs: 20 }]);
    const running = complete(one);
    await until(() => upstream.requests.length === 1);
    const stopping = one.gateway.handOver(10_000);
    await running;
    const late = await complete(one);
    expect(late.frames.at(-1)?.event).toBe('moved');
    const reader = await resume(one.url, idOf(late), { headers: one.auth, lastId: '3' });
    expect(reader.frames.map(({ event, id }) => [event, id])).toEqual([['moved', '3']]);
    const rest = await resume(two.url, idOf(late), {
      headers: two.auth,
      lastId: lastIdOf(late.frames),
    });
    expect(textOf([...late.frames, ...rest.frames])).toBe(whole);
    await stopping;
  });

  it('keeps its client where Redis does not answer, so that no other replica could go on', async () => {
    const [one] = (await shared('g')) as [RunningGateway];
    upstream.script([{ text: words, betweenMs: 20 }]);
    let stopping = Promise.resolve();
    const { frames } = await complete(one, {
      onFrame: (_frame, index) => {
        if (index !== 5) return;
        redis?.pause();
        stopping = one.gateway.handOver(10_000);
      },
    });
    redis?.resume();
    expect(textOf(frames)).toBe(whole);
    expect(frames.at(-1)?.data).toBe('[DONE]');
    await stopping;
  });

  it('goes on for a reader at another although Redis pauses for longer than the grace', async () => {
    const url = redis?.url ?? '';
    const [one, two] = await Promise.all([
      start(300, { redis: { url } }),
      start(300, { redis: { url } }),
    ]);
    upstream.script([{ text: words.slice(0, 10), betweenMs: 900 }]);
    const begun = await complete(one, { abortAfterFrames: 1 });
    const rest = await resume(two.url, idOf(begun), {
      headers: two.auth,
      onFrame: (_frame, index) => {
        if (index !== 1) return;
        redis?.pause();
        setTimeout(() => redis?.resume(), 5_000);
      },
    });
    expect(textOf(rest.frames)).toBe(words.slice(0, 10).join(''));
    expect(rest.frames.at(-1)?.data).toBe('[DONE]');
  }, 30_000);

  const lose = async (): Promise<void> => {
    const client = await createClient({ url: redis?.url ?? '' }).connect();
    await client.sendCommand(['FLUSHALL']);
    client.destroy();
  };

  it('goes on for a reader at another although Redis loses the note that says so', async () => {
    const url = redis?.url ?? '';
    const one = await start(300, { redis: { url } });
    const two = await start(300, { redis: { url } });
    upstream.script([{ text: ['a', 'b', 'c', 'd'], betweenMs: 900 }]);
    const begun = await complete(one, { abortAfterFrames: 1 });
    const client = await createClient({ url }).connect();
    let losing: Promise<unknown> = Promise.resolve();
    const rest = await resume(two.url, idOf(begun), {
      headers: two.auth,
      onFrame: (_frame, index) => {
        if (index === 1)
          losing = client.keys('*/readers}*').then((notes) => (notes[0] ? client.del(notes) : 0));
      },
    });
    expect(await losing).toBeGreaterThan(0);
    client.destroy();
    expect(textOf(rest.frames)).toBe('abcd');
    expect(rest.frames.at(-1)?.data).toBe('[DONE]');
  });

  it('ends for a native reader with the error event and line of any failure when its log is lost', async () => {
    const [one, two] = (await shared('e')) as [RunningGateway, RunningGateway];
    upstream.script([{ text: words, betweenMs: 300 }]);
    const begun = await complete(one, { abortAfterFrames: 3 });
    let losing: Promise<unknown> = Promise.resolve();
    const { frames } = await getStream(`${two.url}/api/v1/completions/${idOf(begun)}/stream`, {
      headers: two.auth,
      onFrame: (_frame, index) => {
        if (index === 2) losing = lose();
      },
    });
    await losing;
    expect(frames.at(-2)?.event).toBe('error');
    expect(frames.at(-1)?.data).toBe(
      '[Error] the rest of this answer is lost: send the request again',
    );
  });

  it('ends for a reader of Responses with an event of the type error when its log is lost', async () => {
    const [one, two] = (await shared('d')) as [RunningGateway, RunningGateway];
    upstream.script([{ text: words, betweenMs: 300 }]);
    const begun = await postStream(
      `${one.url}/v1/responses`,
      { model: 'up/m', input: 'Hi', stream: true },
      { headers: one.auth, abortAfterFrames: 3 },
    );
    let losing: Promise<unknown> = Promise.resolve();
    const id = textAt(begun.events[0], 'response', 'id');
    const { frames, events } = await getStream(`${two.url}/v1/responses/${id}?stream=true`, {
      headers: two.auth,
      onFrame: (_frame, index) => {
        if (index === 2) losing = lose();
      },
    });
    await losing;
    expect(frames.at(-1)?.event).toBe('error');
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'unavailable' } });
  });
});
