import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { redisIsThere, type RunningRedis, startRedis } from './redis.js';

let redis: RunningRedis;
afterEach(() => redis.stop());

/** What Redis answers to the commands, on one connection. */
const ask = ({ port }: RunningRedis, ...commands: string[]): Promise<string> =>
  text(connect(port, '127.0.0.1').end([...commands, 'QUIT', ''].join('\r\n')));
const start = async (): Promise<RunningRedis> => (redis = (await startRedis())!);

describe.skipIf(!redisIsThere)("a Redis of a test's own", () => {
  it('answers when it has started', async () => {
    expect(await ask(await start(), 'SET a 1', 'GET a')).toBe('+OK\r\n$1\r\n1\r\n+OK\r\n');
    expect(redis.url).toBe(`redis://127.0.0.1:${redis.port}`);
  });

  it('is gone when it is stopped, and on the same port when it is restarted, empty', async () => {
    const { port, pid } = await start();
    await ask(redis, 'SET a 1');
    await redis.stop();
    await expect(ask(redis, 'PING')).rejects.toThrow('ECONNREFUSED');
    await redis.restart();
    expect(redis).toMatchObject({ port });
    expect(redis.pid).not.toBe(pid);
    expect(await ask(redis, 'GET a')).toBe('$-1\r\n+OK\r\n');
  });

  it('answers nothing while it is paused, and all that was asked when it goes on', async () => {
    await start();
    redis.pause();
    let isAnswered = false;
    const answer = ask(redis, 'PING').finally(() => (isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    redis.resume();
    expect(await answer).toBe('+PONG\r\n+OK\r\n');
  });
});
