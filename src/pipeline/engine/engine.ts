import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { StaticKeys } from '../../accounts/static-keys.js';
import { type Config, ConfigError, type ParseOptions } from '../../config/config.js';
import { detectProviders } from '../../config/detect-providers.js';
import { isLocalHost } from '../../config/local-hosts.js';
import { conversationReports } from '../../conversations/reports.js';
import { type OpenCircuit, openCircuits, remember } from '../../dispatch/provider.js';
import { ReplicaSync } from '../../dispatch/replica-sync.js';
import type { ProviderDialect } from '../../providers/adapter.js';
import type { CountersState } from '../../store/contracts/counters.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import { configuredDatabases } from '../../store/open-databases.js';
import type { KeptDays } from '../../store/retention.js';
import { createLogger, createRequestLogger, type Log, logOf } from '../../telemetry/log.js';
import { type MetricRegistry, Metrics } from '../../telemetry/metrics/metrics.js';
import { openTracing } from '../../telemetry/traces/tracing.js';
import type { RequestLogOptions } from '../../telemetry/requests/request-log-writer.js';
import { alertSources } from './alert-sources.js';
import { buildSnapshot, type SnapshotSharing } from './build-snapshot.js';
import { abilityWarnings, aliasWarnings, keylessProviders } from './config-warnings.js';
import { closeGrounding, inheritGrounding } from '../grounding/grounding-parts.js';
import { type HostAnswer, HostUsers } from './host-users.js';
import { ModelLists } from './model-lists.js';
import type { ConfigurationInForce, GatewayParts } from './gateway-parts.js';
import type { GatewaySnapshot } from './snapshot.js';
import { GatewayState } from './state.js';

/** How long notes of research are kept where conversations are until somebody deletes them. */
const defaultNotesDays = 30;

/** What an engine is built with beside its configuration. */
export interface EngineOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly logger?: Log;
  /** The metrics are registered here too, until the gateway is closed. */
  readonly registry?: MetricRegistry;
  /** Identifies the sender of a request without a key. */
  readonly identify?: (req: IncomingMessage) => HostAnswer | Promise<HostAnswer>;
  readonly databases?: LazyDatabases;
  /** Whether the gateway is mounted in a host app. Default: false. */
  readonly isMounted?: boolean;
  /** All dialects, by the name of their `api`. */
  readonly dialects: ReadonlyMap<string, ProviderDialect>;
  readonly rules: ParseOptions;
}

/** Whether the gateway can serve, for `/readyz`. */
export interface Readiness extends Awaited<ReturnType<GatewayState['state']>> {
  readonly stopping: boolean;
  /** Names of the configured providers. */
  readonly providers: readonly string[];
  /** What the circuit breaker has set aside, and keys that rest. */
  readonly circuits: readonly OpenCircuit[];
  readonly counters: CountersState;
}

/** All that runs a gateway's requests, without Express: configuration, state, metrics and log. */
export class Engine {
  readonly parts: GatewayParts;
  readonly measured: Metrics;
  config: Config;
  private readonly state: GatewayState;
  private readonly sync: ReplicaSync;
  private readonly sharing: SnapshotSharing;
  private readonly lists: ModelLists;
  private readonly warn: (warning: string) => void;
  private snapshot: GatewaySnapshot;
  private readonly unknownFinishes = new Set<string>();
  private stopping = false;
  private loadedAt = Date.now();
  private refused: ConfigurationInForce['refused'] = null;

  constructor(
    config: Config,
    private readonly options: EngineOptions,
  ) {
    this.config = config;
    this.measured = new Metrics(config.metrics.prefix ?? '', {
      isKnownModel: (provider, model) => this.snapshot.isKnownModel(provider, model),
      recordsQueued: () => this.state.requestLog.queued,
      isFallback: () => this.state.limits.state === 'fallback',
      circuits: () => openCircuits(this.snapshot.providers),
      load: () => this.state.load.figures(),
    });
    if (options.registry) joinRegistry(this.measured, options.registry);
    const logger = logOf(options.logger ?? createLogger(config.log));
    this.warn = (warning) => logger.warn({}, warning);
    this.sync = new ReplicaSync(() => this.snapshot.providers);
    this.lists = new ModelLists(this.warn);
    this.sharing = {
      lists: this.lists,
      latencies: this.sync.latencies,
      ranker: (settings) => this.state.chooser.ranker(settings),
      onAttempt: (attempt) => this.countAttempt(attempt),
      breakerOf: (...of) => this.state.health.breakerOf(...of),
      load: () => this.state.load,
      warn: this.warn,
      isMounted: options.isMounted ?? false,
    };
    // a mounted gateway stores in memory unless its configuration names a place
    const databases = options.databases ?? configuredDatabases(config, ':memory:', logger);
    const reports = conversationReports(logger, this.measured);
    this.state = new GatewayState(databases, this.recording(config), reports, {
      maxStoredBytes: () => this.config.conversations.maxBytesPerAccount,
      trainingTerms: () => this.snapshot.training,
      isLearning: () => this.snapshot.routing.learning.enabled,
      metrics: this.measured,
      alerts: this.alertSources(),
    });
    this.snapshot = this.build(config);
    this.openAhead(databases, config);
    this.parts = {
      current: () => this.snapshot,
      configuration: () => this.inForce(),
      log: createRequestLogger(logger),
      metrics: this.measured,
      state: this.state,
      tracing: this.openTracing(),
      hostUsers: options.identify ? new HostUsers(options.identify) : null,
    };
  }

  private openTracing(): GatewayParts['tracing'] {
    const env = this.options.isMounted ? {} : (this.options.env ?? process.env);
    const lost = (count: number): void => this.measured.recordsLost('spans', count);
    return openTracing(this.config.tracing, env, isLocalHost, lost);
  }

  private countAttempt(attempt: Parameters<SnapshotSharing['onAttempt']>[0]): void {
    this.measured.attempt(attempt);
    this.state.health.record(attempt);
    const { provider, unknownFinish } = attempt;
    if (!unknownFinish) return;
    const finish = `${provider} ended an answer with the unknown finish reason ${unknownFinish}`;
    if (this.unknownFinishes.has(finish)) return;
    remember(this.unknownFinishes, finish);
    this.warn(`${finish}: it counts as stop`);
  }

  private inForce(): ConfigurationInForce {
    return { config: this.config, loadedAt: this.loadedAt, refused: this.refused };
  }

  /**
   * Puts another configuration in force; requests in flight finish on the old one. @throws Error
   * where it cannot be built: the old one stays
   */
  reconfigure(config: Config): void {
    // the old snapshot's connections end by their idle timeouts: a request in flight may still
    // retry and fall back on it
    const next = this.build(config);
    const { providerConfigs } = this.snapshot;
    // what failed with other settings may work with these
    for (const [name, { breaker }] of next.providers)
      if (!isDeepStrictEqual(providerConfigs.get(name), next.providerConfigs.get(name)))
        breaker.reset();
    inheritGrounding(this.snapshot.grounding, next.grounding);
    this.snapshot = next;
    this.config = config;
    this.loadedAt = Date.now();
    this.refused = null;
    this.measured.reloaded('applied');
  }

  /** Counts and remembers a configuration that was refused before it got here. */
  refuse(reason: string): void {
    this.refused = { at: Date.now(), reason };
    this.measured.reloaded('refused');
  }

  async readiness(): Promise<Readiness> {
    return {
      stopping: this.stopping,
      providers: [...this.snapshot.providers.keys()],
      circuits: openCircuits(this.snapshot.providers),
      counters: this.state.limits.state,
      ...(await this.state.state()),
    };
  }

  drain(): void {
    this.stopping = true;
    // shadow answers are for statistics only: a stop does not wait for them
    this.state.chooser.shadows.running.close();
  }

  /** Waits for upstream calls, writes what is still to be written, and closes all connections. */
  async close(): Promise<void> {
    this.drain();
    // no request waits for a title
    this.state.titles.close();
    this.sync.close();
    this.lists.close();
    const { providers, grounding } = this.snapshot;
    await Promise.all([...providers.values()].map(({ upstreams }) => upstreams.close()));
    await closeGrounding(grounding);
    await Promise.all([this.state.close(), this.parts.tracing?.close()]);
    this.measured.close();
  }

  /** Starts in the background what the first request would otherwise wait for. */
  private openAhead(databases: LazyDatabases, { redis }: Config): void {
    this.state.health.onCircuit = (...change) => this.sync.publishChange(...change);
    databases.whenOpened(({ counters }) => void this.sync.share(counters));
    databases.whenOpened(() => void this.state.ids.ready().catch(() => undefined));
    // replicas share cooldowns and latencies before this one stores anything
    if (redis.url !== null) databases.get().catch(() => undefined);
  }

  private recording({ requestLog: { maxQueued } }: Config): RequestLogOptions {
    const report = {
      lost: (kind: string, count: number): void => this.measured.recordsLost(kind, count),
      warn: this.warn,
    };
    return { maxQueued, keptDays: () => this.keptDays(), report };
  }

  private alertSources(): ReturnType<typeof alertSources> {
    const inForce = () => ({ config: this.config, snapshot: this.snapshot });
    return alertSources(inForce, () => this.state.health, this.warn);
  }

  private keptDays(): KeptDays {
    const { requestLog, retention } = this.config;
    return {
      requests: requestLog.keepDays,
      selections: retention.sessionDays,
      conversations: retention.conversationDays,
      feedback: retention.feedbackDays,
      usage_days: retention.usageDays,
      usage_periods: retention.usageDays,
      choice_days: retention.usageDays,
      shadows: retention.usageDays,
      responses: retention.conversationDays,
      response_items: retention.conversationDays,
      research_notes: retention.conversationDays ?? defaultNotesDays,
      audit: retention.auditDays,
    };
  }

  private build(config: Config): GatewaySnapshot {
    const { dialects, rules, env = process.env } = this.options;
    const keys = new StaticKeys(config.auth.keys);
    this.state.keys.lookUpAhead(keys.hashes);
    const { providers, warnings } = detectProviders(config, dialects, env, rules);
    const snapshot = buildSnapshot(config, providers, dialects, keys, this.sharing);
    const all = [
      ...config.warnings,
      ...warnings,
      ...keylessProviders(providers, dialects),
      // the client chooses the Host header, so a mailed link is never made from it
      ...(config.mail && config.publicUrl === null
        ? ['publicUrl is not set: mails contain a code instead of a link']
        : []),
      ...(config.alerts !== null && config.alerts.mail.length > 0 && config.mail === null
        ? ['alerts.mail: no mail server is configured (mail.url), so no alert is mailed']
        : []),
      ...abilityWarnings(config, Date.now()),
      ...aliasWarnings(config.aliases, providers, dialects),
    ];
    for (const warning of all) this.warn(warning);
    return snapshot;
  }
}

/** @throws ConfigError where another gateway's metrics are in the registry under the same names */
function joinRegistry(measured: Metrics, registry: MetricRegistry): void {
  const taken = measured.joinRegistry(registry);
  if (taken === null) return;
  const reason = `the registry already has a metric ${taken}; give each gateway a prefix of its own`;
  throw new ConfigError(null, [{ path: ['metrics', 'prefix'], reason, line: null }]);
}
