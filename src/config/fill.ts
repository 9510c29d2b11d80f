import { fillSearch } from './fill-search.js';
import { fillToolkits } from './fill-toolkits.js';
import { apiKeysOf } from './provider-keys.js';
import type {
  Config,
  Listener,
  ListenerSurface,
  ProviderConfig,
  WrittenConfig,
  WrittenProvider,
} from './shape.js';

/**
 * The default settings. schemas/config.schema.json and config/signalbox.yaml have to agree with
 * them.
 */
export const defaults = {
  listen: { host: '127.0.0.1', port: 8080 },
  dataDir: './data',
  cors: { allowedOrigins: [] },
  database: { poolSize: 10 },
  auth: {
    keys: [],
    required: true,
    signUp: 'closed',
    signUpLimits: { requestsPerMinute: 60, dayBudgetUsd: 1 },
    signUpDomains: [],
    signInMs: 1_209_600_000,
    resetMs: 3_600_000,
    trustedProxies: 0,
  },
  conversations: { store: true, maxBytesPerAccount: 1_073_741_824 },
  requestLog: { enabled: true, content: false, keepDays: 30, maxQueued: 10_000 },
  retention: { feedbackDays: 800, usageDays: 800, auditDays: 800 },
  budgets: { allowUnpriced: false },
  timeouts: { connectMs: 10_000, firstEventMs: 300_000, idleMs: 120_000 },
  routing: {
    tolerance: 0.05,
    affinity: 0.03,
    ranker: 'learned',
    learning: true,
    exploration: 0.02,
    order: 'ranked',
    explainHeader: true,
    auto: [],
  },
  savings: { shadow: 0, maxUsdPerDay: 1 },
  search: {
    engines: [],
    allowPrivateHosts: [],
    ports: [80, 443],
    obeyRobots: true,
    maxUses: 10,
    maxResults: 20,
    cacheMs: 300_000,
    timeoutMs: 10_000,
  },
  research: { reader: null, maxCostUsd: 1, maxSeconds: 600 },
  limits: {
    maxBodyBytes: 33_554_432,
    maxJsonValues: 150_000,
    maxRetries: 2,
    maxToolSteps: 20,
    totalTimeoutMs: 600_000,
    holdStatusMs: 10_000,
    pingMs: 15_000,
    requestTimeoutMs: 60_000,
    headersTimeoutMs: 15_000,
    maxHeaderBytes: 16_384,
    maxConnections: 20_000,
    clientIdleMs: 120_000,
    drainDelayMs: 3_000,
    drainMs: 30_000,
  },
  metrics: { requireKey: false },
  log: { level: 'info' },
  proxy: { forwardHeaders: [], enabled: true },
} as const;

/**
 * Fills the defaults into a configuration that satisfies the schema. `leftOut` names the providers
 * to skip.
 */
export function fillDefaults(
  input: WrittenConfig,
  leftOut: ReadonlySet<string>,
): Omit<Config, 'file' | 'warnings'> {
  const listen = { ...defaults.listen, ...input.listen };
  const providers = Object.entries(input.providers ?? {}).filter(([name]) => !leftOut.has(name));
  const proxy = { ...defaults.proxy, ...input.proxy };
  const requestLog = { ...defaults.requestLog, ...input.requestLog };
  return {
    listen,
    surfaces: surfacesOf(input, listen.host),
    dataDir: input.dataDir ?? defaults.dataDir,
    publicUrl: input.publicUrl?.replace(/\/+$/, '') ?? null,
    dashboard: input.dashboard ?? null,
    allowedHosts: input.allowedHosts ?? null,
    cors: { ...defaults.cors, ...input.cors },
    database: { url: null, ...defaults.database, ...input.database },
    redis: { url: null, ...input.redis },
    auth: { webAccounts: null, ...defaults.auth, ...input.auth },
    mail: input.mail ?? null,
    conversations: { titleModel: null, ...defaults.conversations, ...input.conversations },
    requestLog,
    retention: {
      conversationDays: null,
      sessionDays: requestLog.keepDays,
      ...defaults.retention,
      ...input.retention,
    },
    budgets: { maxOutputTokens: null, ...defaults.budgets, ...input.budgets },
    providers: recordOf(providers.map(([name, provider]) => [name, fillProvider(name, provider)])),
    models: recordOf(Object.entries(input.models ?? {})),
    aliases: recordOf(Object.entries(aliasTargets(input.aliases ?? {}))),
    routing: { ...defaults.routing, ...input.routing },
    savings: { ...defaults.savings, ...input.savings },
    research: { ...defaults.research, ...input.research },
    search: fillSearch(input.search ?? {}, defaults.search),
    toolkits: fillToolkits(input.toolkits ?? {}),
    limits: {
      maxBytesInProgress: null,
      maxAccountBytesInProgress: null,
      ...defaults.limits,
      ...input.limits,
    },
    metrics: { ...defaults.metrics, ...input.metrics },
    log: { pretty: null, ...defaults.log, ...input.log },
    proxy: { ...proxy, forwardHeaders: proxy.forwardHeaders.map((name) => name.toLowerCase()) },
  };
}

/** Fills the defaults into one provider's settings. */
export function fillProvider(name: string, input: WrittenProvider): ProviderConfig {
  const provider = { ...input };
  delete (provider as { apiKey?: string }).apiKey;
  return {
    ...provider,
    name,
    apiKeys: apiKeysOf(input),
    headers: input.headers ?? {},
    allowProxy: input.allowProxy ?? true,
    listModels: input.listModels ?? true,
    timeouts: { ...defaults.timeouts, ...input.timeouts },
  };
}

/** The targets of each alias as a list. */
export function aliasTargets(
  aliases: NonNullable<WrittenConfig['aliases']>,
): Record<string, readonly string[]> {
  return recordOf(
    Object.entries(aliases).map(([name, targets]) => [
      name,
      typeof targets === 'string' ? [targets] : targets,
    ]),
  );
}

function surfacesOf(
  { surfaces = {} }: WrittenConfig,
  host: string,
): Partial<Record<ListenerSurface, Listener>> {
  return Object.fromEntries(
    Object.entries(surfaces).map(([name, listener]) => [name, { host, ...listener }]),
  );
}

/**
 * An object without a prototype, so that a request for a provider named `constructor` finds
 * nothing.
 */
function recordOf<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const record = Object.create(null) as Record<string, T>;
  for (const [key, value] of entries) record[key] = value;
  return record;
}
