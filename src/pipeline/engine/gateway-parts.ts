import type { Config } from '../../config/config.js';
import type { Measure } from '../../store/contracts/counters.js';
import type { RequestLogger } from '../../telemetry/log.js';
import type { GroundingMetrics } from '../../telemetry/metrics/grounding-metrics.js';
import type { ShadowOutcome } from '../../telemetry/metrics/metrics.js';
import type { ObservedRequest } from '../../telemetry/observed-request.js';
import type { HostUsers } from './host-users.js';
import type { GatewaySnapshot } from './snapshot.js';
import type { GatewayState } from './state.js';

/** What is measured of requests while they run and when they are over. */
export interface RequestMetrics {
  request(request: ObservedRequest): void;
  selection(durationMs: number): void;
  /** The gateway's own time before the first upstream call. */
  overhead(surface: string, durationMs: number): void;
  streamOpened(): void;
  streamClosed(): void;
  /** @param ratio tokens of an answer, as a share of what was expected */
  answerLength(provider: string, model: string, ratio: number): void;
  usageMissing(provider: string): void;
  rated(): void;
  explored(): void;
  limited(limit: Measure): void;
  shadowed(outcome: ShadowOutcome): void;
  readonly grounding: Pick<
    GroundingMetrics,
    'search' | 'nativeSearches' | 'page' | 'toolCall' | 'cost' | 'citations'
  >;
}

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
  readonly metrics: RequestMetrics;
  readonly state: GatewayState;
  /** Null unless the host app says who its users are. */
  readonly hostUsers: HostUsers | null;
}
