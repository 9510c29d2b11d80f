import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open-store.js';
import { buildOnce } from '../../helpers/build.js';
import { parseExposition } from '../../helpers/exposition.js';
import { listAt, numberAt, textAt } from '../../helpers/json.js';
import {
  endProcesses,
  type GatewayProcess,
  runToEnd,
  startProcess,
} from '../../helpers/process.js';
import { eventsOf, lastIdOf, resume, textOf } from '../../helpers/resuming.js';
import { ask, post, postStream, type Reply } from '../../helpers/sse.js';
import { until } from '../../helpers/until.js';
import { startUpstream, type Step, type Upstream } from '../../helpers/upstream.js';
import { withinMinute } from '../../helpers/within-minute.js';

let upstream: Upstream;
let gateway: GatewayProcess;

const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const messages = [{ role: 'user', content: 'Hi' }];
const words = Array.from({ length: 30 }, (_, index) => `word ${index} `);
const slowly: Step = { text: words, betweenMs: 40 };
const config = (more = ''): string =>
  `providers:\n  up: { api: openai-compatible, baseUrl: "${upstream.url}/v1" }\nmodels:\n  up/m: { inputPrice: 1, outputPrice: 1 }\n${more}`;
const start = async (more = ''): Promise<GatewayProcess> => {
  const started = await startProcess({ args: ['--workers', '2'], config: config(more) });
  await started.printed(/worker 2 serves/);
  return started;
};

// each request has a connection of its own, and connections go to the workers in turn
const complete = (key: string, more: object = {}): Promise<Reply> =>
  post(`${gateway.url}/api/v1/completions`, { messages, models: ['up/m'], ...more }, bearer(key));
const streams = (count: number): ReturnType<typeof postStream>[] =>
  Array.from({ length: count }, () =>
    postStream(
      `${gateway.url}/api/v1/completions`,
      { messages, models: ['up/m'], stream: true },
      { headers: gateway.auth },
    ),
  );
const newKey = async (limits: object): Promise<{ id: string; key: string }> => {
  const { json } = await post(`${gateway.url}/api/v1/keys`, { name: 'made', limits }, gateway.auth);
  return { id: textAt(json, 'id'), key: textAt(json, 'key') };
};
const statusesOf = async (replies: Promise<Reply>[]): Promise<number[]> =>
  (await Promise.all(replies)).map(({ status }) => status);
const served = async (): Promise<number> => {
  const { text } = await ask('GET', `${gateway.url}/metrics`);
  const family = parseExposition(text, 'prometheus').get('signalbox_request_duration_seconds');
  const counts = (family?.samples ?? []).filter(
    ({ name, labels }) => name.endsWith('_count') && labels['surface'] === 'completions',
  );
  return counts.reduce((sum, { value }) => sum + value, 0);
};
/** The processes of the workers that have begun to serve, the oldest first. */
const workers = (): number[] =>
  [...gateway.stdout().matchAll(/"worker":(\d+),"msg":"worker \d+ serves"/g)].map(([, pid]) =>
    Number(pid),
  );

beforeAll(async () => {
  await buildOnce();
  upstream = await startUpstream();
}, 120_000);
afterAll(() => upstream.close());
beforeEach(() => upstream.script([]));

describe('two workers', () => {
  beforeAll(async () => void (gateway = await start()), 60_000);
  afterAll(endProcesses);

  it('print one address and one first key between them', () => {
    expect(gateway.stdout().match(/listens on http/g)).toHaveLength(1);
    expect(gateway.stdout().match(/first API key/g)).toHaveLength(1);
    expect(gateway.key).not.toBe('');
    expect(new Set(workers()).size).toBe(2);
  });

  it('hold a rate limit between them exactly', async () => {
    const { key } = await newKey({ requestsPerMinute: 10 });
    await withinMinute();
    const statuses = await statusesOf(Array.from({ length: 60 }, () => complete(key)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
  }, 90_000);

  it('hold a budget between them while 50 requests run at once', async () => {
    upstream.script([{ usage: { prompt: 10, completion: 90 }, delayMs: 20 }]);
    // each answer costs 100 tokens at 1 USD a million
    const { id, key } = await newKey({ dayBudgetUsd: 0.002 });
    const statuses = await statusesOf(
      Array.from({ length: 50 }, () => complete(key, { maxTokens: 90 })),
    );
    let last = 200;
    while (last === 200) statuses.push((last = (await complete(key, { maxTokens: 90 })).status));
    const paid = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(paid).toBeLessThanOrEqual(20);
    expect(paid).toBeGreaterThan(17);
    const spent = async (): Promise<number> =>
      listAt(
        (await ask('GET', `${gateway.url}/api/v1/usage?key=${id}&by=key`, gateway.auth)).json,
        'items',
      ).reduce((sum: number, row) => sum + numberAt(row, 'costUsd'), 0);
    await until(async () => Math.abs((await spent()) - paid * 0.0001) < 1e-9);
  });

  it('read a conversation that the other has written', async () => {
    const id = textAt((await complete(gateway.key)).json, 'conversationId');
    const read = await Promise.all(
      Array.from({ length: 8 }, () =>
        ask('GET', `${gateway.url}/api/v1/conversations/${id}/messages`, gateway.auth),
      ),
    );
    expect(read.map(({ json }) => listAt(json, 'items').length)).toEqual(read.map(() => 2));
  });

  it('refuse a key at once that the other has deleted', async () => {
    const { id, key } = await newKey({});
    expect(await statusesOf([complete(key), complete(key), complete(key), complete(key)])).toEqual([
      200, 200, 200, 200,
    ]);
    await ask('DELETE', `${gateway.url}/api/v1/keys/${id}`, gateway.auth);
    await until(async () => {
      const statuses = await statusesOf(Array.from({ length: 4 }, () => complete(key)));
      return statuses.every((status) => status === 401);
    });
  });

  it('show the sum of what they have measured, whichever is asked', async () => {
    const before = await served();
    await statusesOf(Array.from({ length: 20 }, () => complete(gateway.key)));
    const seen = await Promise.all(Array.from({ length: 4 }, served));
    expect(seen).toEqual(seen.map(() => before + 20));
  });

  it('take a key that the command line has made', async () => {
    const { folder } = gateway;
    const { stdout } = await runToEnd({ args: ['keys', 'create', '--name', 'cli'], folder });
    expect(await statusesOf(Array.from({ length: 4 }, () => complete(stdout.trim())))).toEqual([
      200, 200, 200, 200,
    ]);
  });

  it('apply a changed configuration in both, and record it once', async () => {
    gateway.writeConfig(config('  up/n: { inputPrice: 2, outputPrice: 2 }\n'));
    await until(() => (gateway.stdout().match(/configuration is now in use/g) ?? []).length >= 2);
    const store = await openStore(`file:${join(gateway.folder, 'data/signalbox.db')}`);
    const applied = async (): Promise<number> =>
      (await store.audit.list({}, { limit: 100, cursor: null })).items.filter(
        ({ act }) => act === 'config.apply',
      ).length;
    await until(async () => (await applied()) > 0);
    expect(await applied()).toBe(1);
    await store.close();
  });

  it('lose only the streams of one that is killed, and get another one', async () => {
    upstream.script([slowly]);
    const before = await served();
    const [, second = 0] = workers();
    const first = upstream.requests.length;
    const running = streams(10);
    await until(() => upstream.requests.length >= first + 10);
    process.kill(second, 'SIGKILL');
    // one may be on its way to the killed one: it is reset, and does not wait for ever
    const ready = await Promise.all(
      Array.from({ length: 4 }, () =>
        ask('GET', `${gateway.url}/readyz`).then(
          ({ status }) => status,
          () => 0,
        ),
      ),
    );
    expect(ready.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
    expect((await ask('GET', `${gateway.url}/readyz`)).status).toBe(200);
    const ends = (await Promise.all(running)).map(({ ended, frames }) =>
      ended === 'end' ? frames.at(-1)?.data : ended,
    );
    const finished = ends.filter((end) => end === '[DONE]').length;
    expect(new Set(ends)).toEqual(new Set(['[DONE]', 'reset']));
    await until(() => workers().length === 3);
    upstream.script([]);
    expect(await statusesOf(Array.from({ length: 6 }, () => complete(gateway.key)))).toEqual(
      Array.from({ length: 6 }, () => 200),
    );
    // a counter does not fall
    expect(await served()).toBe(before + finished + 6);
  });
});

describe('two workers that keep their answers', () => {
  beforeAll(async () => void (gateway = await start('limits: { resumeMs: 20000 }')), 60_000);
  afterAll(endProcesses);

  const asked = { messages, models: ['up/m'] };
  const url = (): string => `${gateway.url}/api/v1/completions`;

  it('give the rest of a stream, whichever has it and whichever is asked', async () => {
    upstream.script([slowly]);
    const first = await postStream(
      url(),
      { ...asked, stream: true },
      { headers: gateway.auth, abortAfterFrames: 5 },
    );
    const id = String(first.headers['responsemessageid']);
    // connections go to the workers in turn: two readers are at the other one
    const rests = await Promise.all(
      Array.from({ length: 4 }, () =>
        resume(gateway.url, id, { headers: gateway.auth, lastId: lastIdOf(first.frames) }),
      ),
    );
    for (const { frames } of rests) {
      const all = [...first.frames, ...frames];
      expect(textOf(all)).toBe(words.join(''));
      expect(eventsOf(all).map((event) => Number(event.id))).toEqual(
        eventsOf(all).map((_, index) => index + 1),
      );
      expect(all.at(-1)?.data).toBe('[DONE]');
    }
  });

  it.each([true, false])(
    'give requests with one `Idempotency-Key` the answer of one call (stream: %s)',
    async (stream) => {
      upstream.script([slowly]);
      const before = upstream.requests.length;
      const send = (count: number): Promise<Reply>[] =>
        Array.from({ length: count }, () =>
          post(
            url(),
            { ...asked, stream },
            { ...gateway.auth, 'idempotency-key': `once ${stream}` },
          ),
        );
      const [answer, ...same] = [
        ...(await Promise.all(send(4))),
        ...(await Promise.all(send(4))),
      ] as [Reply, ...Reply[]];
      expect(answer.status).toBe(200);
      for (const { text } of same) expect(text).toBe(answer.text);
      expect(upstream.requests.length).toBe(before + 1);
    },
  );
});

describe('a worker that is stuck', () => {
  afterAll(endProcesses);
  const stuck = async (): Promise<number> => {
    gateway = await start('limits: { drainDelayMs: 0 }');
    const [, pid = 0] = workers();
    process.kill(pid, 'SIGSTOP');
    return pid;
  };
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('is killed, and another one starts', async () => {
    const pid = await stuck();
    await gateway.printed(/worker 2 does not answer any more: it is killed/);
    await gateway.printed(/worker 3 serves/);
    expect(isRunning(pid)).toBe(false);
    expect(await statusesOf(Array.from({ length: 4 }, () => complete(gateway.key)))).toEqual([
      200, 200, 200, 200,
    ]);
  }, 120_000);

  it('does not keep the others from stopping', async () => {
    const pid = await stuck();
    gateway.signal('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0 });
    expect(isRunning(pid)).toBe(false);
  }, 120_000);

  it('does not outlive a second signal', async () => {
    const pid = await stuck();
    gateway.signal('SIGTERM');
    await gateway.printed(/stopping/);
    gateway.signal('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 1 });
    await until(() => !isRunning(pid));
  });
});

describe('a graceful stop of two workers', () => {
  beforeAll(async () => void (gateway = await start('limits: { drainDelayMs: 0 }')), 60_000);
  afterAll(endProcesses);

  it('finishes all streams, stores them and ends with 0', async () => {
    upstream.script([slowly]);
    const first = upstream.requests.length;
    const running = streams(10);
    await until(() => upstream.requests.length >= first + 10);
    gateway.signal('SIGTERM');
    const ends = (await Promise.all(running)).map(({ frames }) => frames.at(-1)?.data);
    expect(ends).toEqual(running.map(() => '[DONE]'));
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
    const store = await openStore(`file:${join(gateway.folder, 'data/signalbox.db')}`);
    const { items } = await store.requests.list({ accountId: null }, { limit: 100, cursor: null });
    await store.close();
    expect(items).toHaveLength(10);
  });
});

describe('a start with workers', () => {
  afterAll(endProcesses);

  it('ends with the reason of the first worker where it cannot start', async () => {
    const blocked = await startProcess({ config: config() });
    const { port } = new URL(blocked.url);
    const ended = await runToEnd({
      args: ['--workers', '2'],
      config: config(),
      env: { PORT: port },
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr.match(/the port is already in use/g)).toHaveLength(1);
  });

  it.each(['0', '1.5', 'many'])('refuses %s workers', async (count) => {
    const ended = await runToEnd({ args: ['--workers', count], config: config() });
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain('--workers takes a number from 1 to 64');
  });
});
