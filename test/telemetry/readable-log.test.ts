import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readable } from '../../src/telemetry/log-output.js';
import { runs } from '../helpers/runs.js';

const clock = (): string => '10:20:30.456';
const request = {
  level: 30,
  time: 1,
  requestId: 'r1',
  surface: 'openai',
  accountId: 'a1',
  keyId: 'k1',
  caller: 'app',
  status: 200,
  model: 'openai/gpt-4o-mini',
  attempts: 1,
  stream: true,
  latencyMs: 812,
  ttftMs: 90,
  promptTokens: 120,
  completionTokens: 30,
  costUsd: 0.000036123,
  msg: 'request',
};

describe('a log line for people', () => {
  it('begins a request with its status, model, duration, tokens, cost and caller', () => {
    expect(readable(request, clock)).toBe(
      '10:20:30.456 request 200, openai/gpt-4o-mini, 812 ms, 120+30 tokens, 0.0000361 USD, by app requestId=r1 ttftMs=90',
    );
  });

  it('says why a request failed, and after which calls', () => {
    const failed = {
      ...request,
      level: 40,
      status: 502,
      code: 'all_failed',
      error: 'both attempts failed; the last: up answered 500',
      attempts: 2,
      tried: [{ model: 'up/a', outcome: 'error' }],
      promptTokens: undefined,
      completionTokens: undefined,
      costUsd: undefined,
    };
    expect(readable(failed, clock)).toBe(
      '10:20:30.456 WARN request 502 all_failed, openai/gpt-4o-mini, 812 ms, by app (both attempts failed; the last: up answered 500) attempts=2 requestId=r1 ttftMs=90 tried=[{"model":"up/a","outcome":"error"}]',
    );
  });

  it('is the message and its fields for all others', () => {
    expect(readable({ level: 50, time: 1, msg: 'database away', queued: 3 }, clock)).toBe(
      '10:20:30.456 ERROR database away queued=3',
    );
  });

  it('is one line without control characters, whatever the fields contain', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), fc.boolean(), (fields, isRequest) => {
        const line = JSON.parse(JSON.stringify({ ...fields, level: 30, time: 1 })) as object;
        const text = readable(
          { ...line, level: 30, time: 1, msg: isRequest ? 'request' : 'other\nline' },
          clock,
        );
        expect(text).not.toMatch(/\p{C}/u);
        expect(text.startsWith('10:20:30.456 ')).toBe(true);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

it('has lines of up to 128 KiB on standard output, as that of a request with hundreds of attempts', async () => {
  const script = `const { LogOutput } = await import(process.argv[1]);
    const output = new LogOutput();
    for (const [letter, length] of [['a', 100], ['b', 100_000], ['c', 10]])
      output.write(letter.repeat(length) + '\\n');`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    new URL('../lab/typescript.mjs', import.meta.url).href,
    '--input-type=module',
    '-e',
    script,
    new URL('../../src/telemetry/log-output.ts', import.meta.url).href,
  ]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => [line[0], line.length])).toEqual([
    ['a', 100],
    ['b', 100_000],
    ['c', 10],
  ]);
});
