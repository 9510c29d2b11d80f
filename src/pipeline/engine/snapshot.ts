import type { AccountRules } from '../../accounts/account-context.js';
import type { StaticKeys } from '../../accounts/static-keys.js';
import type { Config, ProviderConfig } from '../../config/config.js';
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

/** All that the gateway derives from one configuration: immutable, and replaced as a whole. */
export interface GatewaySnapshot extends Pick<
  Config,
  'limits' | 'savings' | 'requestLog' | 'conversations' | 'budgets'
> {
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
  readonly training: TrainingTerms;
  /** Which models can be called. */
  readonly directory: ModelDirectory;
  /** What the names of models stand for. */
  readonly names: ModelNames;
  /** What completions may use beside models. */
  readonly grounding: GroundingParts;
  readonly proxy: Config['proxy'] & {
    readonly allowed: ReadonlySet<string>;
    /** The first of the allowed providers that has one of the dialects, in their order; or null. */
    providerOf(apis: readonly string[]): string | null;
  };
  /** True for models of the catalogue and the configuration: a closed set, fit for labels. */
  isKnownModel(provider: string, model: string): boolean;
  onAttempt(attempt: Attempt): void;
}
