import type { GatewayError } from '../errors.js';
import type { Measure } from '../store/contracts/counters.js';
import type { ObservedRequest } from '../telemetry/observed-request.js';
import type { GatewaySnapshot } from './snapshot.js';
import type { GatewayState } from './state.js';

/** Writes one log line for each request. */
export interface RequestLog {
  request(request: ObservedRequest): void;
  /** Logs a fault of the gateway itself, with its cause. */
  failure(request: Pick<ObservedRequest, 'id'>, error: GatewayError): void;
}

/** What is measured of requests while they run and when they are over. */
export interface RequestMetrics {
  request(request: ObservedRequest): void;
  selection(durationMs: number): void;
  /** The gateway's own time before the first upstream call. */
  overhead(surface: string, durationMs: number): void;
  streamOpened(): void;
  streamClosed(): void;
  usageMissing(provider: string): void;
  rated(): void;
  explored(): void;
  limited(limit: Measure): void;
}

/** What the stages of the pipeline work with; it outlives requests. */
export interface Parts {
  /** The configuration in force now. A request keeps the one that was in force when it arrived. */
  current(): GatewaySnapshot;
  readonly log: RequestLog;
  readonly metrics: RequestMetrics;
  readonly state: GatewayState;
}
