import type { ConfigInput, ModelInput, ProviderInput } from './config-input.js';
import type { ResearchConfig, SearchConfig } from './search-config.js';
import type { ToolkitConfig } from './toolkit-config.js';

/** An address to listen on; with port 0 the system chooses one. */
export interface Listener {
  readonly host: string;
  readonly port: number;
}

/** The surfaces that can have a listener of their own, in addition to the common one. */
export type ListenerSurface =
  'modelSelect' | 'completions' | 'openai' | 'proxy' | 'mcp' | 'metrics';

/** Rate limits and budgets; absent ones do not bound. */
export interface ConfiguredLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly dayBudgetUsd?: number;
  readonly monthBudgetUsd?: number;
}

/** An API key in the configuration, in addition to those that the gateway creates. */
export interface FixedKey {
  /** Unique; shown in logs. */
  readonly name: string;
  /** Not empty, and unique. */
  readonly key: string;
  /** The models that the key may use, as labels or globs (`openai/*`). Default: all. */
  readonly models?: readonly string[];
  /** Names or globs of the toolkits that the key may use. Default: none. */
  readonly toolkits?: readonly string[];
  /** Default: all scopes, but without `admin` for a key with `models` or `limits`. */
  readonly scopes?: readonly ('completions' | 'model-select' | 'admin')[];
  /** Default: no limits. */
  readonly limits?: ConfiguredLimits;
}

/**
 * Deadlines of one upstream call, in ms: for the connection, for the first event, and between
 * events.
 */
export interface ProviderTimeouts {
  readonly connectMs: number;
  readonly firstEventMs: number;
  readonly idleMs: number;
}

/** The settings of one provider. */
export interface ProviderConfig {
  readonly name: string;
  /** The dialect: `openai`, `openai-compatible`, `anthropic`, … */
  readonly api: string;
  readonly baseUrl?: string;
  /**
   * `apiKey` and `apiKeys` together, without empty and repeated ones; empty for a provider without
   * keys.
   */
  readonly apiKeys: readonly string[];
  /** Headers sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly region?: string;
  readonly project?: string;
  readonly apiVersion?: string;
  /** The provider's deployment name for each model. */
  readonly deployments?: Readonly<Record<string, string>>;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
  readonly credentialsFile?: string;
  /** Whether `/proxy/<name>/…` may be used. */
  readonly allowProxy: boolean;
  /**
   * Whether the provider is asked which models it has; false: those with known prices count. A list
   * names the models instead.
   */
  readonly listModels: boolean | readonly string[];
  /** The maximum number of simultaneous connections. Default: unlimited. */
  readonly connections?: number;
  readonly timeouts: ProviderTimeouts;
}

/**
 * Corrections of the catalogue for one model. Prices in USD per million tokens, of searches in USD
 * each, latency in seconds, quality from 0 to 1.
 */
export interface ModelConfig {
  readonly inputPrice?: number;
  readonly outputPrice?: number;
  readonly cachedInputPrice?: number;
  readonly cacheWritePrice?: number;
  readonly searchPrice?: number;
  readonly contextLength?: number;
  readonly maxOutput?: number;
  readonly tools?: boolean;
  readonly images?: boolean;
  readonly quality?: number;
  readonly latency?: number;
  readonly reasoningEffort?: NonNullable<ModelInput['reasoningEffort']>;
  readonly ability?: string | number;
}

/** How a plan is made. */
export interface RoutingConfig {
  /** How much lower than the best quality (0 to 1) that of a cheaper or faster model may be. */
  readonly tolerance: number;
  /**
   * How much lower than the best quality (0 to 1) that of the conversation's current model may be;
   * 0 chooses anew for each turn.
   */
  readonly affinity: number;
  /**
   * How quality is predicted: from similar prompts (`learned`), or from the model alone (`prior`).
   */
  readonly ranker: NonNullable<NonNullable<ConfigInput['routing']>['ranker']>;
  readonly order: 'ranked' | 'given';
  /** Whether feedback and outcomes influence later choices of the same account. */
  readonly learning: boolean;
  /**
   * The share of decisions (0 to 0.2) that may try another candidate than the best, for accounts
   * that send feedback.
   */
  readonly exploration: number;
  /** Whether completions have the response header `x-signalbox-routing`. */
  readonly explainHeader: boolean;
  /** The candidates of `model: auto`; empty means all configured models. */
  readonly auto: readonly string[];
  /** Globs of labels. Default: all models are allowed. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** API keys, sign-up and sign-in. */
export interface AuthConfig {
  readonly keys: readonly FixedKey[];
  readonly required: boolean;
  /**
   * Whether people sign up, claim and sign in with browsers; null means yes for the standalone
   * process and no for a gateway in a host app.
   */
  readonly webAccounts: boolean | null;
  readonly signUp: 'open' | 'closed';
  /** The limits of accounts that people create for themselves. */
  readonly signUpLimits: ConfiguredLimits;
  /** The mail domains that may sign up; empty means all. */
  readonly signUpDomains: readonly string[];
  /** How long a browser stays signed in. */
  readonly signInMs: number;
  /** How long a password reset link is valid. */
  readonly resetMs: number;
  /** The number of reverse proxies in front, each of which appends to X-Forwarded-For. */
  readonly trustedProxies: number;
}

/** What is stored of each request. */
export interface RequestLogConfig {
  readonly enabled: boolean;
  /** Whether messages and answers are stored too. */
  readonly content: boolean;
  readonly keepDays: number;
  /** The maximum number of records that wait for a slow or unreachable database. */
  readonly maxQueued: number;
}

/** How many days stored rows are kept. */
export interface RetentionConfig {
  /** After the last turn; null: until somebody deletes them. */
  readonly conversationDays: number | null;
  readonly sessionDays: number;
  readonly feedbackDays: number;
  readonly usageDays: number;
  readonly auditDays: number;
}

/** Limits for every request. */
export interface LimitsConfig {
  readonly maxBodyBytes: number;
  /** Objects, lists and texts in one JSON body. */
  readonly maxJsonValues: number;
  /** Bytes of bodies of all requests in progress; null: a quarter of the heap limit. */
  readonly maxBytesInProgress: number | null;
  /** The same of one account; null: half of it. */
  readonly maxAccountBytesInProgress: number | null;
  /** Retries for each model, from 0 to 10. */
  readonly maxRetries: number;
  readonly maxToolSteps: number;
  readonly totalTimeoutMs: number;
  /** How long a stream's status line is delayed until a provider answers. */
  readonly holdStatusMs: number;
  readonly pingMs: number;
  /** How long a client may take to send its request. */
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly maxHeaderBytes: number;
  /** The maximum number of connections of a listener. */
  readonly maxConnections: number;
  /** A response of which the client takes nothing for this long is ended. */
  readonly clientIdleMs: number;
  /** How long a gateway that stops says so before it accepts no more connections. */
  readonly drainDelayMs: number;
  /** How long requests in flight may take to finish when the gateway stops. */
  readonly drainMs: number;
}

/** A complete configuration with all defaults. Immutable: a reload creates a new one. */
export interface Config {
  /** The file that it was read from; null if it was given as an object. */
  readonly file: string | null;
  readonly listen: Listener;
  readonly surfaces: Readonly<Partial<Record<ListenerSurface, Listener>>>;
  readonly dataDir: string;
  /** The public URL of the gateway, used in links; null means the address that it listens on. */
  readonly publicUrl: string | null;
  /** Null means yes for the standalone process and no for a gateway in a host app. */
  readonly dashboard: boolean | null;
  /**
   * The names in `Host` under which requests without a key are answered, besides `localhost`, IP
   * addresses and that of `publicUrl`. `*.example.org` stands for all subdomains, `*` for every
   * name. Null means none for a standalone gateway, and every name for one mounted in a host app.
   */
  readonly allowedHosts: readonly string[] | null;
  /** `allowedOrigins`: origins whose pages may call the gateway; `*` stands for every origin. */
  readonly cors: { readonly allowedOrigins: readonly string[] };
  /**
   * A null `url` means a file in `dataDir` for a standalone gateway, and memory for one mounted in
   * a host app.
   */
  readonly database: { readonly url: string | null; readonly poolSize: number };
  /** A null `url` means that counters are kept in this process. */
  readonly redis: { readonly url: string | null };
  readonly auth: AuthConfig;
  /** Null means that no mail is sent. */
  readonly mail: { readonly url: string; readonly from: string } | null;
  readonly conversations: {
    readonly store: boolean;
    /** What the conversations of one account may take in the database. */
    readonly maxBytesPerAccount: number;
    /**
     * `<provider>/<model>` that writes titles; null means that they are derived from the first
     * message.
     */
    readonly titleModel: string | null;
  };
  readonly requestLog: RequestLogConfig;
  readonly retention: RetentionConfig;
  readonly budgets: {
    /** Whether a key with a budget may use models of unknown price. */
    readonly allowUnpriced: boolean;
    /**
     * The output tokens reserved for and allowed to an answer without `maxTokens`; null means the
     * model's maximum.
     */
    readonly maxOutputTokens: number | null;
  };
  /** By name; without a prototype, so that only configured names are found. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** By `<provider>/<model>`; without a prototype. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** Names for models, each with its targets in order; without a prototype. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly routing: RoutingConfig;
  readonly savings: SavingsConfig;
  readonly research: ResearchConfig;
  readonly search: SearchConfig;
  readonly toolkits: readonly ToolkitConfig[];
  readonly limits: LimitsConfig;
  readonly metrics: { readonly requireKey: boolean; readonly prefix?: string };
  readonly log: {
    readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
    /** Lines for people instead of JSON; null: where standard output is a terminal. */
    readonly pretty: boolean | null;
  };
  /** `forwardHeaders`: lower-case names of client headers that pass-through forwards. */
  readonly proxy: { readonly forwardHeaders: readonly string[]; readonly enabled: boolean };
  /** Warnings to log at the start, one line each. */
  readonly warnings: readonly string[];
}

/** A provider's settings before they are checked: its dialect need not exist. */
export type WrittenProvider = Omit<ProviderInput, 'api'> & { readonly api: string };

/** A configuration before it is checked. */
export type WrittenConfig = Omit<ConfigInput, 'providers'> & {
  readonly providers?: Readonly<Record<string, WrittenProvider>>;
};

/** How savings are measured. */
export interface SavingsConfig {
  /** The share of completions (0 to 0.1) that are sent to a second model too. */
  readonly shadow: number;
  /** What that may cost in a UTC day, in USD, of all accounts together. */
  readonly maxUsdPerDay: number;
}
