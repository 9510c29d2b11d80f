import type { Request } from 'express';
import type { EngineOptions } from './pipeline/engine/engine.js';
import type { HostAnswer } from './pipeline/engine/host-users.js';
import type { LazyDatabases } from './store/lazy-databases.js';
import type { Log } from './telemetry/log.js';
import type { MetricRegistry } from './telemetry/metrics/metrics.js';

/** Says who sends a request, at once or later; null: a user the host app does not know. */
export type IdentifyUser = (req: Request) => HostAnswer | Promise<HostAnswer>;

/** What a host app gives a gateway beside its configuration. */
export interface GatewayOptions {
  /**
   * The host's users: called for each request without a gateway key, on the routers and on stages
   * that stand alone. Its answer names the account whose conversations, limits, usage and learning
   * apply; `null` is answered with 401; what it throws goes to `next`. Default: requests need a
   * gateway key.
   */
  identify?: IdentifyUser;
  /**
   * pino, `console`, or anything with `info`, `warn` and `error`, called with fields and a message.
   * Default for `createGateway`: nothing is logged, unless `log.level` of the configuration is set;
   * then JSON lines on standard output.
   */
  logger?: Log;
  /**
   * The host's prom-client registry: gets the gateway's metrics, until `close()`. Gateways that share
   * one need a `metrics.prefix` each.
   */
  registry?: MetricRegistry;
  /** Default `process.env`; its `PORT` and `HOST` belong to the host. */
  env?: NodeJS.ProcessEnv;
  /** Default: the configuration's databases, opened when first needed; in memory if it has none. */
  databases?: LazyDatabases;
}

/** The options of a gateway without what only HTTP knows. */
export function engineOptionsOf({
  identify,
  ...options
}: GatewayOptions): Omit<EngineOptions, 'dialects' | 'rules'> {
  // the first stage has given the request Express's members
  return identify ? { ...options, identify: (req) => identify(req as Request) } : options;
}
