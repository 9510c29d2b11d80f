import type { AccountRules } from '../../accounts/account-context.js';
import type { StaticKeys } from '../../accounts/static-keys.js';
import type { ProviderConfig } from '../../config/config.js';
import type { Attempt } from '../../dispatch/execute-plan.js';
import type { Hedging } from '../../dispatch/hedging.js';
import type { Provider } from '../../dispatch/provider.js';
import type { Catalog } from '../../models/catalog.js';
import type { LatencyWindow } from '../../models/latency-window.js';
import type { Ranker } from '../../chooser/plan.js';
import type { TrainingTerms } from '../../chooser/chooser.js';
import type { BrowserRules } from './browser-rules.js';
import type { GroundingParts } from '../grounding/grounding-parts.js';
import type { ModelDirectory } from './model-directory.js';
import type { ModelNames } from './model-names.js';

/** The numbers that the configuration sets for requests; durations in ms. */
export interface RequestLimits {
  readonly maxBodyBytes: number;
  readonly maxJsonValues: number;
  readonly maxBytesInProgress: number | null;
  readonly maxAccountBytesInProgress: number | null;
  readonly maxConcurrent: number | null;
  readonly maxAccountConcurrent: number | null;
  readonly maxQueueMs: number;
  readonly maxLoopDelayMs: number;
  readonly clientIdleMs: number;
  readonly maxRetries: number;
  readonly onBrokenStream: 'continue' | 'fail';
  readonly totalTimeoutMs: number;
  readonly resumeMs: number;
  readonly holdStatusMs: number;
  readonly pingMs: number;
}

/** All that the gateway derives from one configuration: immutable, and replaced as a whole. */
export interface GatewaySnapshot {
  readonly limits: RequestLimits;
  readonly keys: StaticKeys;
  readonly keysRequired: boolean;
  /** The number of reverse proxies in front, for the client's address. */
  readonly trustedProxies: number;
  readonly accounts: AccountRules;
  readonly browser: BrowserRules;
  readonly providers: ReadonlyMap<string, Provider>;
  /** The settings of the providers, with secrets. */
  readonly providerConfigs: ReadonlyMap<string, ProviderConfig>;
  readonly catalog: Catalog;
  readonly latencies: LatencyWindow;
  /** When a second model is asked beside one that is late; null: never. */
  readonly hedging: Hedging | null;
  readonly ranker: Ranker;
  readonly routing: {
    readonly order: 'ranked' | 'given';
    /** Whether completions explain the choice of the model in a header. */
    readonly explainHeader: boolean;
    readonly learning: {
      /** Whether feedback and outcomes influence choices. */
      readonly enabled: boolean;
      /**
       * The share of decisions that may try another candidate, unless a preference says otherwise.
       */
      readonly exploration: number;
    };
    readonly allow: readonly string[] | null;
    readonly deny: readonly string[];
  };
  /** The share of completions that are shadowed, and what that may cost in a UTC day. */
  readonly savings: { readonly shadow: number; readonly maxUsdPerDay: number };
  readonly training: TrainingTerms;
  /** Which models can be called. */
  readonly directory: ModelDirectory;
  /** What the names of models stand for. */
  readonly names: ModelNames;
  /** What is kept of requests that are over. */
  readonly requestLog: {
    readonly enabled: boolean;
    readonly content: boolean;
    readonly keepDays: number;
  };
  readonly conversations: {
    /** Whether they are kept at all. */
    readonly store: boolean;
    /** `<provider>/<model>` that writes titles; null: they are made of the first message. */
    readonly titleModel: string | null;
  };
  readonly budgets: {
    /** Whether a key with a budget may use models of unknown price. */
    readonly allowUnpriced: boolean;
    /** The maximum for requests of such a key that state none; null: the model's own. */
    readonly maxOutputTokens: number | null;
  };
  /** What completions may use beside models. */
  readonly grounding: GroundingParts;
  readonly proxy: {
    readonly enabled: boolean;
    readonly forwardHeaders: readonly string[];
    readonly allowed: ReadonlySet<string>;
    /** The first of the allowed providers that has one of the dialects, in their order; or null. */
    providerOf(apis: readonly string[]): string | null;
  };
  /** True for models of the catalogue and the configuration: a closed set, fit for labels. */
  isKnownModel(provider: string, model: string): boolean;
  onAttempt(attempt: Attempt): void;
}
