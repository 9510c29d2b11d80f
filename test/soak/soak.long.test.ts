import { expect, it } from 'vitest';
import { runSoak } from './run-soak.js';

it('keeps its memory, handles and file descriptors under a mixed load of ten minutes', async () => {
  const { growth, counts } = await runSoak({
    ...{ minutes: 10, rate: 20, seed: 1, sampleMs: 2_000 },
    before: 25_000,
  });
  expect(growth.filter(({ isFlat }) => !isFlat)).toEqual([]);
  expect(counts['complete']).toBeGreaterThan(2_500);
  expect(counts['search: 200']).toBeGreaterThan(250);
}, 1_200_000);
