import type { ConfigInput, ProviderInput } from './config-input.js';
import type { SearchEngineConfig, FilledEngine } from './search-config.js';
import type { FilledToolkit, ToolkitConfig } from './toolkit-config.js';

type Input = Required<ConfigInput>;

/** Sections that have settings without a default, or other sections in them. */
interface Others {
  readonly surfaces?: Input['surfaces'];
  readonly retention: Filled<Input['retention'], 'sessionDays'>;
  readonly providers: Readonly<Record<string, FilledProvider>>;
  readonly routing: Filled<Input['routing'], 'allow' | 'deny'>;
  readonly metrics: Filled<Input['metrics'], 'prefix'>;
  readonly search: Omit<Required<Input['search']>, 'engines'> & {
    readonly engines: readonly FilledEngine[];
  };
  readonly toolkits: Readonly<Record<string, FilledToolkit>>;
}

/** A section with its defaults; its settings `Absent` have none. */
type Filled<Section, Absent extends keyof Section> = Required<Omit<Section, Absent>> &
  Pick<Section, Absent>;

/** A configuration as written, with the defaults of the schema. */
export type FilledConfig = Others & {
  readonly [Name in Exclude<keyof Input, keyof Others>]: Required<Input[Name]>;
};

/** A provider's settings with their defaults. */
export type FilledProvider = Omit<WrittenProvider, 'timeouts'> &
  Required<Pick<ProviderInput, 'headers' | 'allowProxy' | 'listModels'>> & {
    readonly timeouts: Required<NonNullable<ProviderInput['timeouts']>>;
  };

/** An address to listen on; with port 0 the system chooses one. */
export type Listener = FilledConfig['listen'];

/** The surfaces that can have a listener of their own, in addition to the common one. */
export type ListenerSurface = keyof Input['surfaces'];

/** The settings of one provider. */
export interface ProviderConfig extends Omit<FilledProvider, 'apiKey' | 'apiKeys'> {
  readonly name: string;
  /** `apiKey` and `apiKeys` together, without empty and repeated ones; empty: no keys. */
  readonly apiKeys: readonly string[];
}

/**
 * A complete configuration with all defaults. Immutable: a reload creates a new one. Null stands
 * for what `ConfigInput` says of a setting that is absent.
 */
export interface Config extends Omit<FilledConfig, keyof Shaped>, Shaped {
  /** The file that it was read from; null if it was given as an object. */
  readonly file: string | null;
  /** Warnings to log at the start, one line each. */
  readonly warnings: readonly string[];
}

/** What has another shape than in the file. */
interface Shaped {
  readonly surfaces: Readonly<Partial<Record<ListenerSurface, Listener>>>;
  readonly retention: Required<Input['retention']>;
  /** By name; without a prototype, so that only configured names are found. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  /** Names for models, each with its targets in order; without a prototype. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly search: Omit<FilledConfig['search'], 'engines' | 'timeoutMs'> & {
    /** In the order in which they are asked. */
    readonly engines: readonly SearchEngineConfig[];
  };
  readonly toolkits: readonly ToolkitConfig[];
}

/** A provider's settings before they are checked: its dialect need not exist. */
export type WrittenProvider = Omit<ProviderInput, 'api'> & { readonly api: string };

/** A configuration before it is checked. */
export type WrittenConfig = Omit<ConfigInput, 'providers'> & {
  readonly providers?: Readonly<Record<string, WrittenProvider>>;
};
