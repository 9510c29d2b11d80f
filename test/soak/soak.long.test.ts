import { expect, it } from 'vitest';
import { runSoak } from './run-soak.js';

it('keeps its memory, handles and file descriptors under a mixed load of four minutes', async () => {
  const { growth, counts } = await runSoak({ minutes: 4, rate: 20, seed: 1, sampleMs: 2_000 });
  expect(growth.filter(({ isFlat }) => !isFlat)).toEqual([]);
  expect(counts['complete']).toBeGreaterThan(1_000);
  expect(counts['search: 200']).toBeGreaterThan(100);
}, 600_000);
