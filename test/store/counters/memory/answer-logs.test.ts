import { expect, it } from 'vitest';
import { createMemoryCounters } from '../../../../src/store/counters/memory/memory-counters.js';
import { MemoryAnswerLogs } from '../../../../src/store/counters/memory/answer-logs.js';

it('remembers a bounded number of notes, the newest', async () => {
  const logs = new MemoryAnswerLogs(() => 0);
  const count = 100_000;
  for (let note = 0; note <= count; note++)
    expect(await logs.claim(`note ${note}`, 'text', 1_000)).toBeNull();
  expect(await logs.get('note 0')).toBeNull();
  expect(await logs.get('note 1')).toBe('text');
  expect(await logs.get(`note ${count}`)).toBe('text');
});

it('forgets nothing because the clock of the machine is set forward', async () => {
  let now = Date.now();
  const { answerLogs: logs } = createMemoryCounters({ now: () => now });
  await logs.append('log', { kind: 'open', first: 0, last: 0, text: '' }, 30_000);
  expect(await logs.claim('key', 'first', 30_000)).toBeNull();
  now += 3_600_000;
  expect(await logs.read('log', [0, 0], 0)).toHaveLength(1);
  expect(await logs.claim('key', 'second', 30_000)).toBe('first');
});
