import express, { type Express, type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import { StaticKeys } from './accounts/static-keys.js';
import {
  type Config,
  type ConfigInput,
  type ParseOptions,
  resolveConfig,
  type ProviderConfig,
} from './config/config.js';
import { type DetectedProviders, detectProviders } from './config/detect-providers.js';
import { conversationReports } from './conversations/reports.js';
import { keepAside } from './dispatch/provider.js';
import { authenticate } from './http/authenticate.js';
import { complete } from './http/complete.js';
import { errorHandler } from './http/error-handler.js';
import { joinConversation } from './http/join-conversation.js';
import type { Parts } from './http/parts.js';
import { metricsPage } from './http/resources/metrics-page.js';
import {
  completionsRouter,
  metricsRouter,
  modelSelectRouter,
  openaiRouter,
  proxyRouter,
  publicRouter,
  resourcesRouter,
  v2Router,
} from './http/routes.js';
import type { Readiness } from './http/resources/health.js';
import type { GatewaySnapshot } from './pipeline/snapshot.js';
import { readBody, selectModelWith, type SelectModelOptions } from './http/select-model.js';
import { planHostCall, plannedCallOf, validateHostCall } from './http/select-model.js';
import { native } from './http/surfaces/native.js';
import { countRequest } from './pipeline/limits.js';
import { track } from './http/track.js';
import { notFound } from './http/not-found.js';
import { createLogger, requestLog } from './telemetry/log.js';
import { GatewayState } from './pipeline/state.js';
import { measuring } from './telemetry/metrics/measuring.js';
import { Metrics } from './telemetry/metrics/metrics.js';
import { ReplicaSync } from './dispatch/replica-sync.js';
import { dialects } from './providers/index.js';
import type { RequestLogOptions } from './telemetry/requests/request-log-writer.js';
import { configRules, buildSnapshot, type SnapshotSharing } from './pipeline/build-snapshot.js';
import type { LazyDatabases } from './store/lazy-databases.js';
import { lazyDatabases } from './store/open-databases.js';
import { version } from './version.js';

/** What the gateway gives to whoever mounts it. A stage alone neither authenticates nor answers errors: it calls `next(error)`. */
export interface Gateway {
  /** Everything: all routers below, metrics, health and the API's description. Calls `next()` for paths that are not its own. */
  readonly router: Router;
  readonly routers: {
    readonly modelSelect: Router;
    readonly completions: Router;
    readonly openai: Router;
    readonly proxy: Router;
    readonly metrics: Router;
    readonly health: Router;
    readonly resources: Router;
  };
  /** Lets only known keys pass. */
  readonly authenticate: RequestHandler;
  /** Chooses the model for a body with `messages` and `llm_providers` (or `models`); `planOf(res)` then has the plan. */
  readonly selectModel: RequestHandler;
  /** The same with a host's own candidates and reading of the request. */
  selectModelWith(options: SelectModelOptions): RequestHandler;
  /** Answers a native completions body; carries out the plan that `selectModel` has left, where there is one. */
  readonly complete: RequestHandler;
  /** The metrics page. */
  readonly metrics: RequestHandler;
  /** Answers errors as the native surface does; for hosts that have no error handler of their own. */
  readonly errorHandler: express.ErrorRequestHandler;
  /** Answers 404 in the same shape: the end of an app that is nothing but the gateway. */
  readonly notFound: RequestHandler;
  /** A whole Express app: the router, or that of one surface with health, and 404 for all else. */
  app(surface?: keyof Gateway['routers']): Express;
  /** Puts another configuration in force; requests in flight finish on the old one. @throws Error where it cannot be built: the old one stays */
  reconfigure(config: Config): void;
  /** Counts a configuration that was refused before it got here. */
  refusedConfiguration(): void;
  /** Says on `/readyz` that it is stopping. Requests are still served: they end with the server that they came through. */
  drain(): void;
  /** As `drain`, and waits for the upstream calls under way, closes their connections. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Default `process.env`; what it holds of `PORT` and `HOST` is the host's own affair. */
  env?: NodeJS.ProcessEnv;
  /** Default: JSON lines on standard output, at the configuration's level. */
  logger?: Logger;
  /** Default: the databases that the configuration names, opened when they are first needed; in memory where it names none. */
  backing?: LazyDatabases;
}

/** What a configuration is checked against, beside its schema. */
export const rules: ParseOptions = configRules(dialects);

/** The providers that a gateway with this configuration has, by its settings or by the environment. */
export function providersOf(
  config: Config,
  env: NodeJS.ProcessEnv = process.env,
): DetectedProviders {
  return detectProviders(config, dialects, env, rules);
}

/** @throws ConfigError for a configuration that is not valid */
export function createGateway(config: ConfigInput = {}, options: GatewayOptions = {}): Gateway {
  const env = options.env ?? process.env;
  const { PORT: _port, HOST: _host, ...hostless } = env;
  return assembleGateway(resolveConfig(config, hostless, rules), { ...options, env });
}

/** As `createGateway`, for a configuration that has been read and checked already. */
export function assembleGateway(config: Config, options: GatewayOptions = {}): Gateway {
  return new AssembledGateway(config, options);
}

class AssembledGateway implements Gateway {
  readonly router: Router;
  readonly routers: Gateway['routers'];
  readonly authenticate: RequestHandler;
  readonly selectModel: RequestHandler;
  readonly complete: RequestHandler;
  readonly metrics: RequestHandler;
  readonly errorHandler: express.ErrorRequestHandler;
  readonly notFound: RequestHandler;
  private readonly sharing: SnapshotSharing;
  private readonly news: ReplicaSync;
  private readonly parts: Parts;
  private readonly memory: GatewayState;
  private readonly measured: Metrics;
  private readonly warn: (warning: string) => void;
  private config: Config;
  private runtime: GatewaySnapshot;
  private stopping = false;

  constructor(
    config: Config,
    private readonly options: GatewayOptions,
  ) {
    this.measured = new Metrics(
      (provider, model) => this.runtime.isKnownModel(provider, model),
      config.metrics.prefix,
      () => this.memory.requestLog.queued,
      () => this.memory.limits.state === 'fallback',
    );
    this.config = config;
    const logger = options.logger ?? createLogger(config.log);
    this.warn = (warning) => logger.warn(warning);
    this.news = new ReplicaSync(() => this.runtime.providers);
    this.sharing = {
      latencies: this.news.latencies,
      onAttempt: (attempt) => this.measured.attempt(attempt),
      onSetAside: (...aside) => this.news.setAside(...aside),
      warn: this.warn,
    };
    const backing =
      options.backing ?? mountedDatabases(config, this.warn, (news) => logger.info(news));
    this.memory = new GatewayState(
      backing,
      this.recording(config),
      conversationReports(logger, (turns) => this.measured.turnsLost(turns)),
    );
    this.runtime = this.build(config);
    backing.whenOpened(({ counters }) => void this.news.share(counters));
    // what a request would otherwise have to wait for
    backing.whenOpened(() => void this.memory.ids.ready().catch(() => undefined));
    // replicas have something to tell each other before this one has anything to remember
    if (config.redis.url !== null) backing.get().catch(() => undefined);
    this.parts = {
      current: () => this.runtime,
      log: requestLog(logger),
      metrics: measuring(this.measured),
      memory: this.memory,
    };
    this.routers = this.makeRouters();
    this.router = this.wholeRouter();
    this.authenticate = authenticate(this.parts);
    this.selectModel = chain(
      readBody(this.parts),
      countRequest(this.parts),
      selectModelWith(this.parts, {}),
    );
    this.complete = chain(
      track(this.parts, native),
      readBody(this.parts),
      validateHostCall(native),
      joinConversation(this.parts),
      planHostCall(this.parts, native),
      complete(this.parts, native, plannedCallOf),
    );
    this.metrics = metricsPage(this.measured);
    this.errorHandler = errorHandler(this.parts);
    this.notFound = notFound(this.parts);
  }

  selectModelWith(options: SelectModelOptions): RequestHandler {
    return chain(
      readBody(this.parts, { required: !options.from }),
      countRequest(this.parts),
      selectModelWith(this.parts, options),
    );
  }

  app(surface?: keyof Gateway['routers']): Express {
    const routers =
      surface === undefined ? [this.router] : [this.routers[surface], this.routers.health];
    const isTrusted = (_address: string, hop: number): boolean =>
      hop < this.config.auth.trustedProxies;
    return express()
      .disable('x-powered-by')
      .disable('etag')
      .set('trust proxy', isTrusted)
      .use(...routers)
      .use(this.notFound)
      .use(this.errorHandler);
  }

  reconfigure(config: Config): void {
    // the old runtime's connections are left to their idle timeouts: a request in flight may still retry and fall back on it
    const next = this.build(config);
    keepAside(this.runtime.providers, next.providers);
    this.runtime = next;
    this.config = config;
    this.measured.reloaded('applied');
  }

  refusedConfiguration(): void {
    this.measured.reloaded('refused');
  }

  drain(): void {
    this.stopping = true;
  }

  async close(): Promise<void> {
    this.drain();
    // nobody waits for them
    this.memory.titles.close();
    this.news.close();
    await Promise.all(
      [...this.runtime.providers.values()].map((provider) => provider.upstreams.close()),
    );
    await this.memory.close();
  }

  private recording({ requestLog: { maxQueued } }: Config): RequestLogOptions {
    const report = {
      lost: (kind: string, count: number): void => this.measured.recordsLost(kind, count),
      warn: this.warn,
    };
    return { maxQueued, keepDays: () => this.config.requestLog.keepDays, report };
  }

  private build(config: Config): GatewaySnapshot {
    const keys = new StaticKeys(config.auth.keys);
    const { providers, warnings } = providersOf(config, this.options.env);
    const runtime = buildSnapshot(config, providers, dialects, keys, this.sharing);
    for (const warning of [
      ...config.warnings,
      ...warnings,
      ...keyless(providers),
      ...linkless(config),
    ])
      this.warn(warning);
    return runtime;
  }

  private makeRouters(): Gateway['routers'] {
    const { parts } = this;
    const state = async (): Promise<Readiness> => ({
      stopping: this.stopping,
      providers: [...this.runtime.providers.keys()],
      counters: this.memory.limits.state,
      ...(await this.memory.state()),
    });
    return {
      modelSelect: modelSelectRouter(parts),
      completions: completionsRouter(parts),
      openai: openaiRouter(parts),
      proxy: proxyRouter(parts),
      resources: resourcesRouter(parts),
      metrics: metricsRouter(parts, this.measured, () => this.config.metrics.requireKey),
      health: publicRouter(parts, version, state),
    };
  }

  private wholeRouter(): Router {
    const { modelSelect, completions, openai, proxy, metrics, health, resources } = this.routers;
    // the busiest first: every router that a request only passes costs it some 3 µs
    return Router().use(
      openai,
      completions,
      modelSelect,
      proxy,
      metrics,
      health,
      resources,
      v2Router(this.parts),
    );
  }
}

/** The databases of a gateway that nobody has opened any for: a guest keeps things in memory unless its configuration names a place. */
function mountedDatabases(
  { database, redis }: Config,
  onWarning: (warning: string) => void,
  onNews: (news: string) => void,
): LazyDatabases {
  return lazyDatabases({
    databaseUrl: database.url ?? ':memory:',
    poolSize: database.poolSize,
    redisUrl: redis.url,
    onWarning,
    onNews,
  });
}

/** A provider that wants a key and has none can be called, and will refuse: better said at the start. */
function keyless(providers: readonly ProviderConfig[]): string[] {
  const without = providers.filter(
    ({ api, apiKeys, baseUrl }) =>
      dialects.get(api)?.needsKey && apiKeys.length === 0 && baseUrl === undefined,
  );
  return without.map(
    ({ name, api }) => `providers.${name}: ${api} wants an API key and none is configured`,
  );
}

/** The address that a request came to is the asker's choice: a mail's link must not lead there. */
function linkless({ mail, publicUrl }: Config): string[] {
  return mail && publicUrl === null
    ? ['publicUrl is not set: mails hold a code instead of a link']
    : [];
}

/** Several handlers as one: each calls the next, a failure goes to the host. */
function chain(...handlers: RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    const step = (index: number): void => {
      const handler = handlers[index];
      if (!handler) next();
      else
        void handler(req, res, (error?: unknown) => {
          if (error) next(error);
          else step(index + 1);
        });
    };
    step(0);
  };
}
