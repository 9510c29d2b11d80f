import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BillingProvider, startBillingProvider } from '../helpers/billing-provider.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import {
  attackAll,
  hostileConfig,
  type MeteredRoute,
  meteredRoutes,
  seeded,
  tariff,
} from '../helpers/hostile-clients.js';
import { redisIsThere, startRedis } from '../helpers/redis.js';

const random = seeded(1);
let provider: BillingProvider;
let gateway: RunningGateway | null = null;
beforeEach(async () => {
  provider = await startBillingProvider(tariff, random);
});
afterEach(async () => {
  await gateway?.close();
  await provider.close();
});

async function billOf(routes: readonly MeteredRoute[], redisUrl: string | null): Promise<number> {
  const redis = redisUrl === null ? {} : { redis: { url: redisUrl } };
  gateway = await startGateway({ ...hostileConfig(provider.url), ...redis });
  await attackAll(gateway, routes, { count: 1000, atOnce: 100, random });
  expect(provider.billed).toBeGreaterThan(0);
  return provider.billUsd;
}

describe("the provider's bill for a budget of 1 USD and a thousand hostile clients", () => {
  it.each(meteredRoutes)('is at most 1 USD: %s', async (route) => {
    expect(await billOf([route], null)).toBeLessThanOrEqual(1);
  });

  it.skipIf(!redisIsThere)('is at most 1 USD on all routes of a key with Redis', async () => {
    const redis = await startRedis();
    try {
      const routes = ['native', 'openai', 'embeddings'] as const;
      expect(await billOf(routes, redis?.url ?? null)).toBeLessThanOrEqual(1);
    } finally {
      await redis?.stop();
    }
  });
});
