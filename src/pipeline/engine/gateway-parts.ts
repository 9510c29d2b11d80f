import type { Config } from '../../config/config.js';
import type { RequestLogger } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics/metrics.js';
import type { Tracing } from '../../telemetry/traces/tracing.js';
import type { HostUsers } from './host-users.js';
import type { GatewaySnapshot } from './snapshot.js';
import type { GatewayState } from './state.js';
import type { Store } from '../../store/contracts/store.js';

/** The configuration in force, and what has become of later ones. Times in ms since 1970. */
export interface ConfigurationInForce {
  readonly config: Config;
  readonly loadedAt: number;
  /** The last change that was refused since then; null: none was. */
  readonly refused: { readonly at: number; readonly reason: string } | null;
}

/** What the stages of the pipeline work with; it outlives requests. */
export interface GatewayParts {
  /** The configuration in force now. A request keeps the one that was in force when it arrived. */
  current(): GatewaySnapshot;
  configuration(): ConfigurationInForce;
  readonly log: RequestLogger;
  readonly metrics: Metrics;
  readonly state: GatewayState;
  /** Null: requests are not traced. */
  readonly tracing: Tracing | null;
  /** Null unless the host app says who its users are. */
  readonly hostUsers: HostUsers | null;
}

/**
 * The store, after this process has written its queued records, so that a client finds what it has
 * just done.
 * @throws GatewayError `unavailable` if the database cannot be reached
 */
export async function settledStore({ state }: Pick<GatewayParts, 'state'>): Promise<Store> {
  const { store } = await state.opened();
  await state.requestLog.flush();
  return store;
}
