import { expect, it } from 'vitest';
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
