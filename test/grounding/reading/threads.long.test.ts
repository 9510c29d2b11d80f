import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { threadOptions } from '../../../src/async/thread-options.js';
import type { ExtractionTask } from '../../../src/grounding/reading/extraction/task.js';
import { ExtractionPool, type PoolLimits } from '../../../src/grounding/reading/extraction-pool.js';
import { until } from '../../helpers/until.js';

const limits: PoolLimits = {
  maxThreads: 2,
  idleThreadMs: 60_000,
  startTimeoutMs: 60_000,
  taskTimeoutMs: 60_000,
  pdfTimeoutMs: 60_000,
  maxHeapMb: 256,
  maxGrowthMb: 1_024,
};
const pools: ExtractionPool[] = [];
const poolWith = (changes: Partial<PoolLimits> = {}): ExtractionPool => {
  const pool = new ExtractionPool({ ...limits, ...changes });
  pools.push(pool);
  return pool;
};
const threadIds = (): number[] => {
  const { workers } = process.report.getReport() as {
    workers: { header: { threadId: number } }[];
  };
  return workers.map(({ header }) => header.threadId);
};
/** Threads of other tests, which may be ending. */
const others = new Set(threadIds());
/** How many threads these tests have. */
const threads = (): number => threadIds().filter((id) => !others.has(id)).length;
afterEach(async () => {
  for (const pool of pools.splice(0)) pool.close();
  // a thread ends a while after it was told to, and must not be counted by the next test
  await until(() => threads() === 0);
});

const task = (html: string): ExtractionTask => ({
  kind: 'html',
  bytes: new TextEncoder().encode(html),
  url: 'https://example.com/',
  charset: null,
  limits: { maxTextLength: 100_000, maxPdfPages: 10 },
});
const never = new AbortController().signal;
/** Takes Readability seconds to minutes: each element is judged by all that it contains. */
const endlessWork = `<p>Kept.${'<div class=article><p>a, b, c, d. '.repeat(190)}${'<p>word, word. '.repeat(40_000)}`;

describe('the threads that extract texts', () => {
  it('work on several documents at once, and on the others in turn', async () => {
    const pool = poolWith();
    const texts = Array.from({ length: 9 }, (_, at) => `Document ${at}`);
    const found = await Promise.all(texts.map((text) => pool.run(task(`<p>${text}`), never)));
    expect(found.map(({ text }) => text)).toEqual(texts);
  });

  it('are terminated when a document takes too long; its scanned text remains', async () => {
    const pool = poolWith({ taskTimeoutMs: 4_000, maxThreads: 1 });
    await pool.run(task('<p>first'), never);
    const started = performance.now();
    const { text } = await pool.run(task(endlessWork), never);
    expect(text).toMatch(/^Kept\./);
    expect(performance.now() - started).toBeLessThan(30_000);
    // another thread takes over
    expect(await pool.run(task('<p>next'), never)).toMatchObject({ text: 'next' });
  });

  it('end alone when a document takes all of their memory', async () => {
    const pool = poolWith({ maxHeapMb: 16, maxThreads: 1 });
    await pool.run(task('<p>small'), never);
    expect(threads()).toBe(1);
    // what was scanned before is the result, if it came so far
    await pool.run(task('<p>a</p>'.repeat(45_000)), never).catch(() => undefined);
    await until(() => threads() === 0);
    expect(await pool.run(task('<p>next'), never)).toMatchObject({ text: 'next' });
  });

  it('end when the reading is cancelled, and a document that waits is given up', async () => {
    const pool = poolWith({ maxThreads: 1 });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = pool.run(task(endlessWork), running.signal);
    const second = pool.run(task('<p>second'), waiting.signal);
    const third = pool.run(task('<p>third'), never);
    waiting.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await wait(50);
    running.abort(new Error('stop'));
    await expect(first).rejects.toThrow('stop');
    expect(await third).toMatchObject({ text: 'third' });
    await expect(pool.run(task('<p>late'), running.signal)).rejects.toThrow('stop');
  });

  it('end when the pool is closed, with all that runs or waits', async () => {
    const pool = poolWith({ maxThreads: 1 });
    const all = [pool.run(task(endlessWork), never), pool.run(task('<p>waits'), never)];
    pool.close();
    expect(await Promise.allSettled(all)).toMatchObject([
      { status: 'rejected', reason: { code: 'closed' } },
      { status: 'rejected', reason: { code: 'closed' } },
    ]);
    await expect(pool.run(task('<p>late'), never)).rejects.toMatchObject({ code: 'closed' });
  });

  it('end when they are not needed, and start anew', async () => {
    const pool = poolWith({ idleThreadMs: 1_000 });
    await pool.run(task('<p>one'), never);
    expect(threads()).toBe(1);
    await until(() => threads() === 0);
    expect(await pool.run(task('<p>two'), never)).toMatchObject({ text: 'two' });
  });

  it('do not keep a process alive', async () => {
    const pool = new URL('../../../src/grounding/reading/extraction-pool.ts', import.meta.url);
    const program = `
      import { parentPort } from 'node:worker_threads';
      const { ExtractionPool } = await import(${JSON.stringify(pool.href)});
      const pool = new ExtractionPool(${JSON.stringify(limits)});
      const bytes = new TextEncoder().encode('Hello');
      const limit = { maxTextLength: 9, maxPdfPages: 1 };
      const task = { kind: 'text', bytes, url: 'https://example.com', charset: null, limits: limit };
      parentPort.postMessage((await pool.run(task, new AbortController().signal)).text);`;
    const main = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
      execArgv: threadOptions(process.execArgv),
    });
    const said = once(main, 'message');
    await once(main, 'exit');
    expect(await said).toEqual(['Hello']);
  });
});
