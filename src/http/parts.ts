import type { GatewayError } from '../errors.js';
import type { GatewayState } from '../pipeline/state.js';
import type { Measure } from '../store/contracts/counters.js';
import type { RequestContext } from './context.js';
import type { GatewaySnapshot } from '../pipeline/snapshot.js';

/** Tells of requests; one line for each. */
export interface RequestLog {
  request(context: RequestContext): void;
  /** A fault of ours, with its cause. */
  failure(context: RequestContext, error: GatewayError): void;
}

/** What is measured of requests while they run and when they are over. */
export interface RequestMetrics {
  request(context: RequestContext): void;
  selection(durationMs: number): void;
  /** The gateway's own time before the first upstream call. */
  overhead(context: RequestContext, durationMs: number): void;
  streamOpened(): void;
  streamClosed(): void;
  usageMissing(provider: string): void;
  /** A rating was taken in. */
  rated(): void;
  /** A candidate was chosen to be tried. */
  explored(): void;
  /** A request was refused because of that limit. */
  limited(limit: Measure): void;
}

/** What the stages are made with. `current` gives the runtime of the configuration that is in force now. */
export interface Parts {
  current(): GatewaySnapshot;
  log: RequestLog;
  metrics: RequestMetrics;
  memory: GatewayState;
}
