import type { IncomingMessage, ServerResponse } from 'node:http';
import { Engine } from './pipeline/engine/engine.js';
import { abilityWarnings, aliasWarnings } from './pipeline/engine/config-warnings.js';
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
import { type DirectMethods, directMethods } from './http/direct-methods.js';
import { errorHandler } from './http/error-handler.js';
import { hostCompletion, hostSelection, type SelectModelOptions } from './http/host-stages.js';
import { unknownPathPage } from './http/dashboard/dashboard.js';
import { notFound } from './http/not-found.js';
import { metricsPage } from './http/pages/metrics-page.js';
import { createRouters, type Routers, type SurfaceRouter } from './http/routes.js';
import { prepare, warmUp } from './http/warm-up.js';
import { shedEarly } from './http/track.js';
import { wholeRouter } from './http/whole-router.js';
import { adapterSettings, catalogOf, configRules } from './pipeline/engine/build-snapshot.js';
import { autoCandidates } from './pipeline/engine/model-directory.js';
import type { Catalog } from './models/catalog.js';
import { longestAnswerUsd } from './models/max-cost.js';
import { modelTypeOf } from './providers/model-type.js';
import { priceSourcesOf, trainingTerms } from './pipeline/engine/training-terms.js';
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
export interface Gateway extends HostMethods, DirectMethods {
  /** All routers below, metrics, health, the API's description; calls `next()` for other paths. */
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
  /** Answers a native completions body, by the plan of `selectModel` where there is one. */
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
  /** A whole Express app: the router, or one surface's with health; 404 for all other paths. */
  app(surface?: keyof Routers): Express;
  /** Waits for upstream calls, writes what is still to be written, and closes all connections. */
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
  /** Says on `/readyz` that the process stops. Requests are served until the server closes. */
  drain(): void;
  /** Ends completions and embeddings with `unavailable`: the last event of streams, else 503. */
  cutShort(): void;
  /** Refuses a completion before Express while the event loop is late, and says whether it did. */
  readonly sheds: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** What this process has measured; `gather`, where it is set, gives that of all workers. */
  readonly measured: Pick<Metrics, 'measurements' | 'gather' | 'addProcess'>;
  /**
   * Tells the clients of resumable streams to go on at another replica, where there is one, and
   * waits until the answers are written; what is not by `drainMs` is cut short.
   */
  handOver(drainMs: number): Promise<void>;
}

/** What a configuration is checked against, beside its schema. */
export const rules: ParseOptions = configRules(dialects);

/** The variables that may hold the key of a provider, by its `api`; empty where it needs none. */
export const keyVariables: ReadonlyMap<string, readonly string[]> = new Map(
  [...dialects].map(([api, { env, needsKey }]) => [api, needsKey ? env : []]),
);

/** The providers of a configuration, by settings or environment, with the warnings of a start. */
export function providersOf(
  config: Config,
  env: NodeJS.ProcessEnv = process.env,
): DetectedProviders {
  const found = detectProviders(config, dialects, env, rules);
  const warnings = [
    ...found.warnings,
    ...abilityWarnings(config, Date.now()),
    ...aliasWarnings(config.aliases, found.providers, dialects),
  ];
  return { ...found, warnings };
}

/** What a training takes from a configuration. */
export const trainingTermsOf = (config: Config, env: NodeJS.ProcessEnv): TrainingTerms =>
  trainingTerms(config, priceSourcesOf(providersOf(config, env).providers, dialects));

/** What is known of the models of a configuration's providers. */
export function configuredCatalog(config: Config, env: NodeJS.ProcessEnv): Catalog {
  const { providers } = providersOf(config, env);
  return catalogOf(config, providers, priceSourcesOf(providers, dialects));
}

/** Of at most three providers the best model that `auto` may choose, and the USD of its longest answer. */
export function longestAnswersOf(
  config: Config,
  env: NodeJS.ProcessEnv = process.env,
): { readonly model: string; readonly usd: number }[] {
  const { providers } = providersOf(config, env);
  const catalog = configuredCatalog(config, env);
  const chats = (provider: string): string[] =>
    catalog.models(provider).filter((model) => modelTypeOf(model) === 'chat');
  const found = providers.flatMap(({ name }) => {
    const [model] = autoCandidates(catalog, [name], chats);
    const usd = model && longestAnswerUsd(catalog.lookup(name, model.slice(name.length + 1)));
    return usd ? [{ model, usd }] : [];
  });
  return found.slice(0, 3);
}

/** The adapters of providers, for checks that call them. */
export const adaptersOf = (
  providers: readonly ProviderConfig[],
): { readonly config: ProviderConfig; readonly adapter: ProviderAdapter }[] =>
  providers.flatMap((config) => {
    const dialect = dialects.get(config.api);
    return dialect ? [{ config, adapter: dialect.create(adapterSettings(config)) }] : [];
  });

/** @throws ConfigError for a configuration that is not valid */
export function createGateway(config: ConfigInput = {}, options: GatewayOptions = {}): Gateway {
  const env = options.env ?? process.env;
  const { PORT: _port, HOST: _host, ...hostless } = env;
  const { auth, dashboard: asked, ...resolved } = resolveConfig(config, hostless, rules);
  // a host app's standard output is its own
  const logger = options.logger ?? (config.log?.level === undefined ? silentLog : null);
  const dashboard = asked ?? false;
  // a host has users of its own; without them, those of the dashboard need a way to sign in
  const webAccounts = auth.webAccounts ?? (dashboard && options.identify === undefined);
  const mounted = { ...resolved, dashboard, auth: { ...auth, webAccounts } };
  return assemble(mounted, { ...options, env, ...(logger ? { logger } : {}) }, true);
}

/** As `createGateway`, for a configuration that has been read and checked already. */
export const assembleGateway = (config: Config, options: GatewayOptions = {}): StandaloneGateway =>
  assemble(config, options, false);

function assemble(config: Config, options: GatewayOptions, isMounted: boolean): StandaloneGateway {
  const engine = new Engine(config, { ...engineOptionsOf(options), isMounted, dialects, rules });
  const { parts, measured } = engine;
  const hasDashboard = (): boolean => engine.config.dashboard ?? true;
  const routers = createRouters(parts, {
    metrics: measured,
    version,
    readiness: () => engine.readiness(),
    metricsRequireKey: () => engine.config.metrics.requireKey,
    hasDashboard,
  });
  const stages = {
    router: wholeRouter(routers),
    notFound: notFound(parts),
    errorHandler: errorHandler(parts),
  };
  // a snapshot keeps the prices of its models
  parts.state.prices.onChange = () => engine.reconfigure(engine.config);
  prepare(parts.current);
  return {
    ...hostMethods(parts),
    ...directMethods(parts),
    ...stages,
    routers,
    authenticate: authenticate(parts),
    selectModel: hostSelection(parts, {}),
    selectModelWith: (selection) => hostSelection(parts, selection),
    complete: hostCompletion(parts),
    metrics: metricsPage(measured),
    registry: measured.registry,
    app: (surface) =>
      express()
        .disable('x-powered-by')
        .disable('etag')
        .set('trust proxy', (_: string, hop: number) => hop < engine.config.auth.trustedProxies)
        .use(
          ...(surface
            ? [routers[surface], routers.health]
            : [stages.router, unknownPathPage(parts, hasDashboard)]),
        )
        .use(stages.notFound)
        .use(stages.errorHandler),
    ...controls(engine),
    close: () => engine.close(),
  };
}

/** What the standalone process has beside what a host has. */
const controls = (engine: Engine): Omit<StandaloneGateway, keyof Gateway> => ({
  measured: engine.measured,
  sheds: shedEarly(engine.parts),
  reconfigure: (next) => engine.reconfigure(next),
  warmUp,
  refusedConfiguration: (reason) => engine.refuse(reason),
  drain: () => engine.drain(),
  cutShort: () => engine.parts.state.running.cut(),
  handOver: (drainMs) => {
    const { answers, running } = engine.parts.state;
    return answers.handOver(drainMs, () => running.cut());
  },
});
