import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BillingProvider, startBillingProvider } from '../helpers/billing-provider.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import {
  attackAll,
  hostileConfig,
  meteredRoutes,
  seeded,
  tariff,
} from '../helpers/hostile-clients.js';

const random = seeded(20_261_122);
let provider: BillingProvider;
let gateway: RunningGateway;
beforeEach(async () => {
  provider = await startBillingProvider(tariff, random);
  gateway = await startGateway(hostileConfig(provider.url));
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

describe("the provider's bill for a key with a budget of 1 USD", () => {
  it.each(meteredRoutes)(
    'is at most 1 USD, however many clients leave, wait or ask for too much: %s',
    async (route) => {
      await attackAll(gateway, [route], { count: 100, atOnce: 20, random });
      expect(provider.billed).toBeGreaterThan(0);
      expect(provider.billUsd).toBeLessThanOrEqual(1);
    },
  );
});
