import type { AccountRules } from '../../accounts/account-context.js';
import { noLimits } from '../../store/contracts/accounts.js';
import type { StaticKeys } from '../../accounts/static-keys.js';
import { createMailer } from '../../accounts/mailer.js';
import type { Config, ParseOptions, ProviderConfig } from '../../config/config.js';
import { type Attempt, firstTokenMsOf } from '../../dispatch/attempt-log.js';
import { Hedging } from '../../dispatch/hedging.js';
import { createProvider, type Provider, type ProviderOptions } from '../../dispatch/provider.js';
import type { ProviderHealths } from '../../dispatch/provider-health.js';
import { browserRulesOf } from './browser-rules.js';
import { buildGrounding, imageSourceOf } from '../grounding/grounding-parts.js';
import { ModelDirectory } from './model-directory.js';
import type { Load } from './load.js';
import type { ModelLists } from './model-lists.js';
import { ModelNames, type NameSources } from './model-names.js';
import type { GatewaySnapshot } from './snapshot.js';
import { priceSourcesOf, trainingTerms } from './training-terms.js';
import type { ProviderDialect, ProviderSettings } from '../../providers/adapter.js';
import { type Catalog, createCatalog, type PriceSources } from '../../models/catalog.js';
import type { LatencyWindow } from '../../models/latency-window.js';
import { compileAliases } from '../../models/aliases.js';
import type { Chooser } from '../../chooser/chooser.js';
import type { Ranker } from '../../chooser/plan.js';
import { readModelTable } from '../../models/model-tables.js';

/** What outlives a configuration: measurements continue when another one is put in force. */
export interface SnapshotSharing {
  latencies: LatencyWindow;
  ranker: Chooser['ranker'];
  onAttempt: (attempt: Attempt) => void;
  breakerOf: ProviderHealths['breakerOf'];
  load: () => Load;
  /** The lists of models that providers report. */
  lists: ModelLists;
  /** Logs a problem that no response can report. */
  warn: (warning: string) => void;
  /** Whether the gateway is mounted in a host app. */
  isMounted: boolean;
}

/** What a configuration is checked against: the dialects, and the settings that each requires. */
export const configRules = (dialects: ReadonlyMap<string, ProviderDialect>): ParseOptions => ({
  knownApis: [...dialects.keys()],
  problemOf: (provider) => {
    try {
      providerOf(provider, dialects);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  },
});

/** Builds a configuration's snapshot. @throws Error for a problem that `configRules` reports */
export function buildSnapshot(
  config: Config,
  providerConfigs: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
  keys: StaticKeys,
  sharing: SnapshotSharing,
): GatewaySnapshot {
  const providers = providersOf(config, providerConfigs, dialects, sharing);
  const prices = priceSourcesOf(providerConfigs, dialects);
  const catalog = catalogOf(config, providerConfigs, prices);
  const { latencies, onAttempt, lists } = sharing;
  const ranker = sharing.ranker(config.routing);
  const directory = new ModelDirectory({ config, providerConfigs, providers, catalog, lists });
  return {
    limits: config.limits,
    keys,
    keysRequired: config.auth.required,
    trustedProxies: config.auth.trustedProxies,
    accounts: accountRulesOf(config, sharing.warn),
    browser: browserRulesOf(config, sharing.isMounted),
    providers,
    providerConfigs: new Map(providerConfigs.map((provider) => [provider.name, provider])),
    catalog,
    latencies,
    hedging: config.hedge && new Hedging(config.hedge, latencies),
    ranker,
    routing: routingOf(config, ranker),
    savings: config.savings,
    training: trainingTerms(config, prices),
    directory,
    names: namesOf(config, providerConfigs, dialects, { directory, catalog }),
    requestLog: config.requestLog,
    conversations: config.conversations,
    budgets: config.budgets,
    grounding: buildGrounding(config, sharing.warn),
    proxy: proxyOf(config, providerConfigs),
    isKnownModel: knownModels(catalog),
    onAttempt: (attempt) => {
      const { provider, model, outcome, hedged, number, latencyMs } = attempt;
      // a first call that lost was late: without its time so far, the percentile would be too low
      const wasLate = outcome === 'hedge_lost' && !hedged && number === 1;
      const firstTokenMs = wasLate ? latencyMs : firstTokenMsOf(attempt);
      if ((outcome === 'ok' || wasLate) && firstTokenMs !== null)
        latencies.record(provider, model, firstTokenMs);
      onAttempt(attempt);
    },
  };
}

function providersOf(
  config: Config,
  providerConfigs: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
  sharing: SnapshotSharing,
): GatewaySnapshot['providers'] {
  const images = imageSourceOf(config);
  const load = sharing.load();
  load.configure(config.limits);
  return new Map(
    providerConfigs.map((provider) => [
      provider.name,
      providerOf(provider, dialects, {
        breaker: sharing.breakerOf(provider.name, config.breaker),
        slots: load.slotsOf(provider.name, provider.maxConcurrent ?? null),
        images,
      }),
    ]),
  );
}

/** The catalogue of a configuration with its providers. */
export function catalogOf(
  { models }: Config,
  providers: readonly ProviderConfig[],
  prices: PriceSources,
): Catalog {
  const deployments = Object.fromEntries(
    providers.map(({ name, deployments: named = {} }) => [name, named]),
  );
  return createCatalog({ overrides: models, deployments, ...prices });
}

function proxyOf(config: Config, configs: readonly ProviderConfig[]): GatewaySnapshot['proxy'] {
  const allowed = configs.filter(({ allowProxy }) => allowProxy);
  return {
    ...config.proxy,
    allowed: new Set(allowed.map(({ name }) => name)),
    providerOf(apis) {
      const found = apis.flatMap((api) => allowed.find((provider) => provider.api === api) ?? []);
      return found[0]?.name ?? null;
    },
  };
}

function routingOf(config: Config, { learns }: Ranker): GatewaySnapshot['routing'] {
  const { order, explainHeader, learning, exploration, allow, deny } = config.routing;
  return {
    order,
    explainHeader,
    learning: { enabled: learning && learns === true, exploration },
    allow: allow ?? null,
    deny: deny ?? [],
  };
}

function namesOf(
  { aliases, routing: { allow, deny } }: Config,
  providers: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
  known: Pick<NameSources, 'directory' | 'catalog'>,
): ModelNames {
  const configured = new Set(providers.map(({ name }) => name));
  return new ModelNames({
    ...known,
    aliases: compileAliases(aliases),
    isConfigured: (provider) => configured.has(provider),
    otherName: providerNames(providers, dialects),
    variableOf: (provider) => dialects.get(provider)?.env[0] ?? null,
    allow: allow ?? null,
    deny: deny ?? [],
  });
}

function accountRulesOf(
  { auth, publicUrl, mail }: Config,
  warn: AccountRules['warn'],
): AccountRules {
  const { signUp, signUpLimits, signUpDomains, signInMs, resetMs, webAccounts } = auth;
  return {
    web: webAccounts ?? true,
    signUp,
    signUpLimits: { ...noLimits, ...signUpLimits },
    signUpDomains,
    signInMs,
    resetMs,
    publicUrl,
    mailer: mail && createMailer(mail),
    warn,
  };
}

/** Each provider's names are gathered when they are first asked for. */
function knownModels(catalog: Catalog): GatewaySnapshot['isKnownModel'] {
  const names = new Map<string, Set<string>>();
  return (provider, model) => {
    let known = names.get(provider);
    if (!known) names.set(provider, (known = new Set(catalog.models(provider))));
    return known.has(model);
  };
}

function providerOf(
  config: ProviderConfig,
  dialects: ReadonlyMap<string, ProviderDialect>,
  shared: Pick<ProviderOptions, 'breaker' | 'images' | 'slots'> = {},
): Provider {
  const dialect = dialects.get(config.api);
  if (!dialect)
    throw new Error(`providers.${config.name}: there is no api ${JSON.stringify(config.api)}`);
  const { accessKeyId = '', secretAccessKey = '', sessionToken = '' } = config;
  return createProvider(dialect.create(adapterSettings(config)), config.apiKeys, config.timeouts, {
    connections: config.connections ?? null,
    secrets: [...Object.values(config.headers), accessKeyId, secretAccessKey, sessionToken],
    conventionalName: dialect.conventionalName ?? dialect.api,
    cutCallHoldMs: config.cutCallHoldMs ?? dialect.cutCallHoldMs ?? null,
    ...shared,
  });
}

/** What an adapter is created with. */
export const adapterSettings = ({
  headers,
  apiKeys: _keys,
  timeouts: _timeouts,
  allowProxy: _allow,
  listModels: _listModels,
  connections: _connections,
  maxConcurrent: _maxConcurrent,
  cutCallHoldMs: _holdMs,
  baseUrl,
  deployments,
  ...rest
}: ProviderConfig): ProviderSettings => ({
  ...rest,
  ...(baseUrl ? { baseUrl: baseUrl.replace(/\/+$/, '') } : {}),
  ...(deployments ? { deployments: { ...deployments } } : {}),
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
});

const table = readModelTable('aliases').providerNames;

/**
 * Finds the configured provider that other gateways call by a name (`google`, `azure`,
 * `together_ai`), or that is the only one of the vendor whose `api` has the name.
 * @returns null for any other name
 */
export function providerNames(
  providers: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
): (name: string) => string | null {
  return (name) => {
    const vendor = (dialects.get(name)?.env.length ?? 0) > 0 ? [name] : [];
    const apis = Object.hasOwn(table, name) ? (table[name] ?? []) : vendor;
    for (const api of apis) {
      const [first, ...others] = providers.filter((provider) => provider.api === api);
      if (first && others.length === 0) return first.name;
    }
    return null;
  };
}
