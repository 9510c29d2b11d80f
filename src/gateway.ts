import { abilityWarnings, Engine } from './pipeline/engine/engine.js';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import {
  type Config,
  type ConfigInput,
  type ParseOptions,
  type ProviderConfig,
  resolveConfig,
} from './config/config.js';
import { type DetectedProviders, detectProviders } from './config/detect-providers.js';
import { engineOptionsOf, type GatewayOptions } from './gateway-options.js';
import { hostMethods, type HostMethods } from './api/host/host-methods.js';
import { authenticate } from './http/authenticate.js';
import { DirectGateway, type SelectRequest } from './http/direct-gateway.js';
import type { RunRequest } from './http/surfaces/openai.js';
import { errorHandler } from './http/error-handler.js';
import { hostCompletion, hostSelection, type SelectModelOptions } from './http/host-stages.js';
import { notFound } from './http/not-found.js';
import { metricsPage } from './http/pages/metrics-page.js';
import { createRouters, type Routers, type SurfaceRouter } from './http/routes.js';
import { prepare, warmUp } from './http/warm-up.js';
import { wholeRouter } from './http/whole-router.js';
import { adapterSettings, configRules } from './pipeline/engine/build-snapshot.js';
import type { DirectOptions } from './pipeline/direct.js';
import type { CompletionEvent, CompletionResult } from './pipeline/direct-writers.js';
import type { ReportablePlan } from './pipeline/afterwards/report-call.js';
import { priceIdsOf, trainingTerms } from './pipeline/engine/training-terms.js';
import type { ProviderAdapter } from './providers/adapter.js';
import { dialects } from './providers/index.js';
import { silentLog } from './telemetry/log.js';
import type { Metrics } from './telemetry/metrics/metrics.js';
import type { TrainingTerms } from './chooser/chooser.js';
import { version } from './version.js';

/**
 * A gateway for a host app. A stage alone neither authenticates nor answers errors: it calls
 * `next(error)`.
 */
export interface Gateway extends HostMethods {
  /**
   * All routers below, metrics, health and the API's description. Calls `next()` for paths that are
   * not its own.
   */
  readonly router: SurfaceRouter;
  readonly routers: Routers;
  /** Lets only known keys pass. */
  readonly authenticate: RequestHandler;
  /**
   * Chooses the model for a body with `messages` and `llm_providers` (or `models`); `planOf(res)`
   * then has the plan.
   */
  readonly selectModel: RequestHandler;
  /** The same with a host's own candidates and reading of the request. */
  selectModelWith(options: SelectModelOptions): RequestHandler;
  /**
   * Answers a native completions body; executes the plan that `selectModel` has made, where there
   * is one.
   */
  readonly complete: RequestHandler;
  /** The metrics page. */
  readonly metrics: RequestHandler;
  /** The gateway's metrics as a prom-client registry, for a host that merges registries. */
  readonly registry: Metrics['registry'];
  /**
   * Answers errors as the native surface does; for hosts that have no error handler of their own.
   */
  readonly errorHandler: ErrorRequestHandler;
  /** Answers 404 in the same shape: the end of an app that is nothing but the gateway. */
  readonly notFound: RequestHandler;
  /**
   * Chooses a model without Express: the plan, best candidate first.
   * @throws GatewayError as `POST /api/v1/model-select` answers
   */
  select(request: SelectRequest, options?: DirectOptions): Promise<ReportablePlan>;
  /**
   * Completes a chat without Express, with the same retries, fallbacks, limits and logs.
   * @returns with `stream: true` an iterable of chunks and one `end`; otherwise the whole answer
   * @throws GatewayError as `POST /v1/chat/completions` answers; from the loop where the answer is
   * streamed
   */
  run(
    request: RunRequest & { stream: true },
    options?: DirectOptions,
  ): AsyncIterable<CompletionEvent>;
  run(
    request: RunRequest & { stream?: false | null },
    options?: DirectOptions,
  ): Promise<CompletionResult>;
  /**
   * A whole Express app: the router, or that of one surface with health, and 404 for all other
   * paths.
   */
  app(surface?: keyof Routers): Express;
  /**
   * Waits for the upstream calls in progress, writes what is still to be written, and closes all
   * connections.
   */
  close(): Promise<void>;
}

/** A gateway as the standalone process runs it. */
export interface StandaloneGateway extends Gateway {
  /**
   * Puts another configuration in force; requests in flight finish on the old one. @throws Error
   * where it cannot be built: the old one stays
   */
  reconfigure(config: Config): void;
  /** Prepares in the background for the first large requests. */
  warmUp(): void;
  /** Counts a configuration that was refused before it got here; administrators can read why. */
  refusedConfiguration(reason: string): void;
  /**
   * Says on `/readyz` that the process is stopping. Requests are still served until their server
   * closes.
   */
  drain(): void;
  /**
   * Ends the completions and embeddings in progress with `unavailable`: streams get the error as
   * their last event, other requests 503.
   */
  cutShort(): void;
}

/** What a configuration is checked against, beside its schema. */
export const rules: ParseOptions = configRules(dialects);

/**
 * The providers that a gateway with this configuration has, by its settings or by the environment,
 * with the warnings of a start.
 */
export function providersOf(
  config: Config,
  env: NodeJS.ProcessEnv = process.env,
): DetectedProviders {
  const found = detectProviders(config, dialects, env, rules);
  return { ...found, warnings: [...found.warnings, ...abilityWarnings(config, Date.now())] };
}

/** What a training takes from a configuration. */
export function trainingTermsOf(config: Config, env: NodeJS.ProcessEnv): TrainingTerms {
  return trainingTerms(config, priceIdsOf(providersOf(config, env).providers, dialects));
}

/** The adapters of providers, for checks that call them. */
export function adaptersOf(
  providers: readonly ProviderConfig[],
): { readonly config: ProviderConfig; readonly adapter: ProviderAdapter }[] {
  return providers.flatMap((config) => {
    const dialect = dialects.get(config.api);
    return dialect ? [{ config, adapter: dialect.create(adapterSettings(config)) }] : [];
  });
}

/** @throws ConfigError for a configuration that is not valid */
export function createGateway(config: ConfigInput = {}, options: GatewayOptions = {}): Gateway {
  const env = options.env ?? process.env;
  const { PORT: _port, HOST: _host, ...hostless } = env;
  // a host app's standard output is its own
  const logger = options.logger ?? (config.log?.level === undefined ? silentLog : null);
  const { auth, dashboard: asked, ...resolved } = resolveConfig(config, hostless, rules);
  const dashboard = asked ?? false;
  // a host has users of its own; without them, those of the dashboard need a way to sign in
  const webAccounts = auth.webAccounts ?? (dashboard && options.identify === undefined);
  const mounted = { ...resolved, dashboard, auth: { ...auth, webAccounts } };
  return new AssembledGateway(mounted, { ...options, env, ...(logger ? { logger } : {}) }, true);
}

/** As `createGateway`, for a configuration that has been read and checked already. */
export function assembleGateway(config: Config, options: GatewayOptions = {}): StandaloneGateway {
  return new AssembledGateway(config, options, false);
}

class AssembledGateway implements StandaloneGateway {
  readonly router: SurfaceRouter;
  readonly routers: Routers;
  readonly authenticate: RequestHandler;
  readonly selectModel: RequestHandler;
  readonly complete: RequestHandler;
  readonly metrics: RequestHandler;
  readonly registry: Metrics['registry'];
  readonly errorHandler: ErrorRequestHandler;
  readonly notFound: RequestHandler;
  readonly keys: HostMethods['keys'];
  readonly accounts: HostMethods['accounts'];
  readonly usage: HostMethods['usage'];
  readonly conversations: HostMethods['conversations'];
  readonly preferences: HostMethods['preferences'];
  readonly shadowing: HostMethods['shadowing'];
  private readonly engine: Engine;
  private readonly direct: DirectGateway;

  constructor(config: Config, options: GatewayOptions, isMounted: boolean) {
    this.engine = new Engine(config, { ...engineOptionsOf(options), isMounted, dialects, rules });
    const { parts, measured } = this.engine;
    this.direct = new DirectGateway(parts);
    this.routers = createRouters(parts, {
      metrics: measured,
      version,
      readiness: () => this.engine.readiness(),
      metricsRequireKey: () => this.engine.config.metrics.requireKey,
      hasDashboard: () => this.engine.config.dashboard ?? true,
    });
    this.router = wholeRouter(this.routers);
    this.authenticate = authenticate(parts);
    this.selectModel = this.selectModelWith({});
    this.complete = hostCompletion(parts);
    this.metrics = metricsPage(measured);
    this.registry = measured.registry;
    this.errorHandler = errorHandler(parts);
    this.notFound = notFound(parts);
    const { keys, accounts, usage, conversations, preferences, shadowing } = hostMethods(parts);
    this.keys = keys;
    this.accounts = accounts;
    this.usage = usage;
    this.conversations = conversations;
    this.preferences = preferences;
    this.shadowing = shadowing;
    prepare(parts.current);
  }

  selectModelWith(options: SelectModelOptions): RequestHandler {
    return hostSelection(this.engine.parts, options);
  }

  select(request: SelectRequest, options?: DirectOptions): Promise<ReportablePlan> {
    return this.direct.select(request, options);
  }

  run(
    request: RunRequest & { stream: true },
    options?: DirectOptions,
  ): AsyncIterable<CompletionEvent>;
  run(
    request: RunRequest & { stream?: false | null },
    options?: DirectOptions,
  ): Promise<CompletionResult>;
  run(
    request: RunRequest,
    options?: DirectOptions,
  ): AsyncIterable<CompletionEvent> | Promise<CompletionResult> {
    return this.direct.run(request, options);
  }

  app(surface?: keyof Routers): Express {
    const routers =
      surface === undefined ? [this.router] : [this.routers[surface], this.routers.health];
    const isTrusted = (_address: string, hop: number): boolean =>
      hop < this.engine.config.auth.trustedProxies;
    return express()
      .disable('x-powered-by')
      .disable('etag')
      .set('trust proxy', isTrusted)
      .use(...routers)
      .use(this.notFound)
      .use(this.errorHandler);
  }

  reconfigure(config: Config): void {
    this.engine.reconfigure(config);
  }

  warmUp(): void {
    warmUp();
  }

  refusedConfiguration(reason: string): void {
    this.engine.refuse(reason);
  }

  drain(): void {
    this.engine.drain();
  }

  cutShort(): void {
    this.engine.parts.state.running.cut();
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}
