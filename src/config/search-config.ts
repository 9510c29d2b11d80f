import type { ConfigInput } from './config-input.js';

type WrittenEngines = NonNullable<NonNullable<ConfigInput['search']>['engines']>;

/** A search engine before its defaults are filled in. */
export type WrittenEngine = WrittenEngines[number];

/** How a search engine of type `custom` is asked and read. JSON pointers; null: there is none. */
export interface CustomEngineConfig {
  /** Sent by POST; null: the request is a GET. */
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly results: string;
  readonly title: string;
  readonly link: string;
  readonly snippet: string | null;
  readonly date: string | null;
  readonly text: string | null;
}

/** The settings of one search engine. */
export interface SearchEngineConfig {
  /** Unique. */
  readonly name: string;
  readonly type: WrittenEngine['type'];
  /** Null: the vendor's own address. */
  readonly url: string | null;
  /** As those of a provider. */
  readonly apiKeys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Whether texts of pages are asked for. */
  readonly content: boolean;
  /** USD; null: unknown, or nothing. */
  readonly pricePerThousand: number | null;
  readonly timeoutMs: number;
  /** Null unless the type is `custom`. */
  readonly custom: CustomEngineConfig | null;
}

/** Web search by the gateway. */
export interface SearchConfig {
  /** In the order in which they are asked. */
  readonly engines: readonly SearchEngineConfig[];
  readonly allowPrivateHosts: readonly string[];
  readonly ports: readonly number[];
  readonly obeyRobots: boolean;
  /** What one request may ask for at most. */
  readonly maxUses: number;
  readonly maxResults: number;
  readonly cacheMs: number;
}

/** What research runs may use. */
export interface ResearchConfig {
  /** `<provider>/<model>`; null: the cheapest of the request. */
  readonly reader: string | null;
  readonly maxCostUsd: number;
  readonly maxSeconds: number;
}
