import type { WrittenConfig } from '../../src/config/config.js';
import { buildOnce } from './build.js';
import { closeChromium } from './chromium.js';
import { type RunningGateway, startGateway } from './gateway.js';
import { startUpstream, type Upstream } from './upstream.js';

/** What a test in a browser needs, beside the browser. */
export interface ServedDashboard {
  gateway: RunningGateway;
  /** Answers as the gateway's provider `up`. */
  upstream: Upstream;
}

const served: ServedDashboard[] = [];

/**
 * Builds the dashboard where it is older than its sources, and starts a gateway that serves it.
 * @param config what it names of the provider `up` is added to what the provider has here
 */
export async function startDashboard(config: WrittenConfig = {}): Promise<ServedDashboard> {
  await buildOnce();
  const upstream = await startUpstream();
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, ...config.providers?.up };
  const gateway = await startGateway({ ...config, providers: { ...config.providers, up } });
  served.push({ gateway, upstream });
  return { gateway, upstream };
}

/** Ends the browser, and what `startDashboard` has started. For `afterAll` or `afterEach`. */
export async function closeDashboards(): Promise<void> {
  await closeChromium();
  await Promise.all(
    served.splice(0).flatMap(({ gateway, upstream }) => [gateway.close(), upstream.close()]),
  );
}
