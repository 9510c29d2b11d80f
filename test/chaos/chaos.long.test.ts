import { afterEach, describe, expect, it } from 'vitest';
import { endProcesses } from '../helpers/process.js';
import { redisIsThere } from '../helpers/redis.js';
import { runChaos } from './run.js';
import { replicatedWorld } from './worlds.js';

describe.skipIf(!redisIsThere)('two replicas over PostgreSQL and Redis', () => {
  afterEach(endProcesses);

  it('keep their promises while they are killed and restarted, and their databases pause', async () => {
    const report = await runChaos({
      requests: 4000,
      seed: 33,
      clients: 40,
      calm: 400,
      world: replicatedWorld,
    });
    expect(report.violations).toEqual([]);
    expect(report.endings.complete).toBeGreaterThan(2500);
    expect(Object.values(report.disturbances).reduce((sum, count) => sum + count, 0)).toBe(9);
    expect(report.lookedUp).toBeGreaterThan(500);
  }, 600_000);

  it('keep them with two workers each, while streams are continued, resumed and hedged', async () => {
    const report = await runChaos({
      requests: 1500,
      seed: 34,
      clients: 40,
      calm: 300,
      workers: 2,
      settings: {
        limits: { onBrokenStream: 'continue', resumeMs: 10_000 },
        hedge: { afterPercentile: 95, maxShare: 0.05 },
      },
      world: replicatedWorld,
    });
    expect(report.violations).toEqual([]);
    expect(report.endings.complete).toBeGreaterThan(900);
    expect(Object.values(report.disturbances).reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(report.brokenStreams.complete).toBeGreaterThan(50);
  }, 600_000);
});
