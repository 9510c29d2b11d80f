/** An address to listen on; port 0 lets the system choose. */
export interface Listener {
  readonly host: string;
  readonly port: number;
}

/** The surfaces that can have a listener of their own, beside the common one. */
export type SurfaceName = 'modelSelect' | 'completions' | 'openai' | 'proxy' | 'metrics';

/** A key that is fixed by the configuration, beside those that the gateway issues. */
export interface FixedKey {
  /** Unique; it stands in logs and metrics. */
  readonly name: string;
  /** Never empty, never the same as another's. */
  readonly key: string;
  /** What the key may use, as labels or globs (`openai/*`); absent: everything. */
  readonly models?: readonly string[];
  /** What it may be used for; absent: everything, but no `admin` for a key with `models` or `limits`. */
  readonly scopes?: readonly ('completions' | 'model-select' | 'admin')[];
  /** Bounds; absent: none. */
  readonly limits?: {
    readonly requestsPerMinute?: number;
    readonly tokensPerMinute?: number;
    readonly dayBudgetUsd?: number;
    readonly monthBudgetUsd?: number;
  };
}

/** Deadlines of one upstream call, in ms: for the connection, for the first event, and between events. */
export interface ProviderTimeouts {
  readonly connectMs: number;
  readonly firstEventMs: number;
  readonly idleMs: number;
}

/** One provider, as the adapter that `api` names needs it. */
export interface ProviderConfig {
  readonly name: string;
  /** The dialect: `openai`, `openai-compatible`, `anthropic`, … */
  readonly api: string;
  readonly baseUrl?: string;
  /** `apiKey` and `apiKeys` together, without blanks and repetitions; empty for a provider that needs none. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly region?: string;
  readonly project?: string;
  readonly apiVersion?: string;
  /** The provider's own name of a deployment for each model. */
  readonly deployments?: Readonly<Record<string, string>>;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
  readonly credentialsFile?: string;
  /** Whether `/proxy/<name>/…` reaches it. */
  readonly allowProxy: boolean;
  /** The most connections at a time; absent: as many as there are requests. */
  readonly connections?: number;
  readonly timeouts: ProviderTimeouts;
}

/** What the catalogue lacks or has wrong about a model. Prices in USD per million tokens, latency in seconds, quality from 0 to 1. */
export interface ModelConfig {
  readonly inputPrice?: number;
  readonly outputPrice?: number;
  readonly cachedInputPrice?: number;
  readonly cacheWritePrice?: number;
  readonly contextLength?: number;
  readonly maxOutput?: number;
  readonly tools?: boolean;
  readonly images?: boolean;
  readonly quality?: number;
  readonly latency?: number;
}

/** How a plan is made. */
export interface RoutingConfig {
  /** How much worse than the best, from 0 to 1, a cheaper or faster model may be. */
  readonly tolerance: number;
  /** How much worse than the best, from 0 to 1, the model may be that a conversation goes on with; 0: it is chosen anew each time. */
  readonly affinity: number;
  /** How quality is told: by what was learned of conversations like this one, or by the model's family alone. */
  readonly ranker: 'learned' | 'prior';
  readonly order: 'ranked' | 'given';
  /** Whether feedback and outcomes move later choices of the same account. */
  readonly learning: boolean;
  /** The share of decisions, from 0 to 0.2, that may try another candidate than the first where somebody rates. */
  readonly exploration: number;
  /** Whether completions answer with `x-signalbox-routing`. */
  readonly explainHeader: boolean;
  /** The candidates of `model: auto`; empty: every model that is configured. */
  readonly auto: readonly string[];
  /** Globs of labels; absent: everything. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** Who may have an account, and how browsers sign in. */
export interface AuthConfig {
  readonly keys: readonly FixedKey[];
  readonly required: boolean;
  readonly signUp: 'open' | 'closed';
  /** Mail domains that may sign up; empty: all. */
  readonly signUpDomains: readonly string[];
  /** How long a browser stays signed in. */
  readonly signInMs: number;
  /** How long a link that sets a new password is good. */
  readonly resetMs: number;
  /** How many proxies stand in front, each of which adds to X-Forwarded-For. */
  readonly trustedProxies: number;
}

/** What is told of each request when it is over. */
export interface RequestLogConfig {
  readonly enabled: boolean;
  /** Whether messages and answers are kept too. */
  readonly content: boolean;
  readonly keepDays: number;
  /** The most records that wait for a database that is slow or away. */
  readonly maxQueued: number;
}

/** Bounds for every request. */
export interface LimitsConfig {
  readonly maxBodyBytes: number;
  /** Retries for each model, from 0 to 10. */
  readonly maxRetries: number;
  readonly totalTimeoutMs: number;
  /** How long a stream's status line is held back for a provider that answers. */
  readonly holdStatusMs: number;
  readonly pingMs: number;
  /** How long a client may take to send its request. */
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly maxHeaderBytes: number;
  /** How long requests in flight may take to finish when the gateway stops. */
  readonly drainMs: number;
}

/** A whole configuration with every default filled in; it never changes: a reload makes a new one. */
export interface Config {
  /** The file that it was read from, null where it was given as an object. */
  readonly file: string | null;
  readonly listen: Listener;
  readonly surfaces: Readonly<Partial<Record<SurfaceName, Listener>>>;
  readonly dataDir: string;
  /** Where people reach the gateway, for links; null: at the address that it listens on. */
  readonly publicUrl: string | null;
  /** `url` is null where none is written: a file in `dataDir` for a process of its own, memory for a guest in somebody's app. */
  readonly database: { readonly url: string | null; readonly poolSize: number };
  /** Null: numbers are kept in this process. */
  readonly redis: { readonly url: string | null };
  readonly auth: AuthConfig;
  /** Null: no mail is sent. */
  readonly mail: { readonly url: string; readonly from: string } | null;
  readonly conversations: {
    readonly store: boolean;
    /** `<provider>/<model>` that writes titles; null: they are derived from the first message. */
    readonly titleModel: string | null;
  };
  readonly requestLog: RequestLogConfig;
  readonly budgets: {
    /** Whether a key with a budget may use a model whose price nobody knows. */
    readonly allowUnpriced: boolean;
    /** What is reserved for an answer without `maxTokens`, and the most that it may then have; null: the model's longest. */
    readonly maxOutputTokens: number | null;
  };
  /** By name; without a prototype, so that only configured names are found. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** By `<provider>/<model>`; without a prototype. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly routing: RoutingConfig;
  readonly limits: LimitsConfig;
  readonly metrics: { readonly requireKey: boolean; readonly prefix?: string };
  readonly log: {
    readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
    readonly pretty: boolean;
  };
  /** Lower-case names of client headers that pass-through hands on. */
  readonly proxy: { readonly forwardHeaders: readonly string[]; readonly enabled: boolean };
  /** What is not an error but should be told at the start, one line each. */
  readonly warnings: readonly string[];
}

/** A provider as it is written. */
export interface ProviderInput extends Partial<Omit<ProviderConfig, 'name' | 'timeouts'>> {
  readonly api: string;
  readonly apiKey?: string;
  readonly timeouts?: Partial<ProviderTimeouts>;
}

/** A configuration as it is written: everything is optional. */
export interface ConfigInput {
  readonly listen?: Partial<Listener>;
  readonly surfaces?: Readonly<
    Partial<Record<SurfaceName, { readonly host?: string; readonly port: number }>>
  >;
  readonly dataDir?: string;
  readonly publicUrl?: string;
  readonly database?: { readonly url?: string; readonly poolSize?: number };
  readonly redis?: { readonly url?: string };
  readonly auth?: Partial<AuthConfig>;
  readonly mail?: { readonly url: string; readonly from: string };
  readonly conversations?: { readonly store?: boolean; readonly titleModel?: string };
  readonly requestLog?: Partial<RequestLogConfig>;
  readonly budgets?: { readonly allowUnpriced?: boolean; readonly maxOutputTokens?: number };
  readonly providers?: Readonly<Record<string, ProviderInput>>;
  readonly models?: Readonly<Record<string, ModelConfig>>;
  readonly routing?: Partial<RoutingConfig>;
  readonly limits?: Partial<LimitsConfig>;
  readonly metrics?: Partial<Config['metrics']>;
  readonly log?: Partial<Config['log']>;
  readonly proxy?: Partial<Config['proxy']>;
}
