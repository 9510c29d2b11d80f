import { expect, it } from 'vitest';
import { runChaos } from './run.js';
import { singleWorld } from './worlds.js';

it('loses, doubles, mixes and cuts nothing where three providers fail in every way and clients leave', async () => {
  const report = await runChaos({ requests: 250, seed: 33, clients: 50, world: singleWorld });
  expect(report.violations).toEqual([]);
  expect(report.endings.complete).toBeGreaterThan(150);
  expect(report.endings.left).toBeGreaterThan(0);
  expect(report.lookedUp).toBeGreaterThan(30);
  // every kind of answer that the script knows, but for some
  expect(Object.keys(report.played).length).toBeGreaterThan(15);
});
