import type { SlotQueue } from '../async/slot-queue.js';
import type { ProviderAdapter } from '../providers/adapter.js';
import { Breaker } from './breaker.js';
import type { ImageSource } from './inline-images.js';
import { KeyRing } from './key-ring.js';
import { secretsOf } from './secrets.js';
import { type Dispatcher, Pool } from 'undici';

/** How long calls to a provider may wait, in ms. */
export interface CallTimeouts {
  connectMs: number;
  /** Null: as `UpstreamCall.firstEventMs` says. */
  firstEventMs: number | null;
  idleMs: number;
}

/** A configured provider, ready to be called. */
export interface Provider {
  readonly name: string;
  /** What OpenTelemetry's conventions call it. */
  readonly conventionalName: string;
  readonly adapter: ProviderAdapter;
  readonly keys: KeyRing;
  readonly breaker: Breaker;
  /** Null: any number of calls may be in progress. */
  readonly slots: SlotQueue | null;
  readonly upstreams: Upstreams;
  readonly timeouts: CallTimeouts;
  /** As in `ProviderDialect`; null: it bills calls that were cut. */
  readonly cutCallHoldMs: number | null;
  /** Models known to refuse streaming, which are called without it. `remember` adds to them. */
  readonly unstreamed: Set<string>;
  /** Models whose last answers could not be read: they are not asked again for the same request. */
  readonly unreadable: Set<string>;
  /** What no message may repeat, as `secretsOf` spells it. */
  readonly secrets: readonly string[];
  /** Reads images whose addresses the provider does not open; null: the gateway does not either. */
  readonly images: ImageSource | null;
}

/** Optional properties of a provider. */
export interface ProviderOptions extends Partial<
  Pick<Provider, 'breaker' | 'conventionalName' | 'cutCallHoldMs' | 'images' | 'slots'>
> {
  /** The most connections to one host; null: no limit. */
  connections?: number | null;
  /** What its requests carry beside its keys: values of configured headers, credentials. */
  secrets?: readonly string[];
}

/** Makes a provider of its adapter, keys and timeouts. */
export const createProvider = (
  adapter: ProviderAdapter,
  apiKeys: readonly string[],
  timeouts: CallTimeouts,
  { connections = null, secrets = [], ...more }: ProviderOptions = {},
): Provider => ({
  name: adapter.name,
  conventionalName: adapter.name,
  adapter,
  keys: new KeyRing(apiKeys),
  // it never opens
  breaker: new Breaker(),
  slots: null,
  upstreams: new Upstreams(timeouts.connectMs, connections),
  timeouts,
  cutCallHoldMs: null,
  images: null,
  unstreamed: new Set(),
  unreadable: new Set(),
  // local servers are often given their own name as a key
  secrets: secretsOf([...apiKeys, ...secrets], [adapter.name]),
  ...more,
});

/** What decides which of a provider's keys a call gets. */
interface KeyChoice {
  /** Absent: the call is for no model. */
  readonly model?: string;
  /** As in `KeyRing.next`. */
  readonly tried?: readonly (string | null)[];
  readonly affinity?: (() => string) | null;
}

/** The key for a call: see `KeyRing.next`. Null: it is made without one. */
export const nextKey = (
  { keys, breaker }: Provider,
  { model = '', tried = [], affinity = null }: KeyChoice = {},
): string | null =>
  keys.next(tried, affinity, breaker.isCalm ? null : (mark) => breaker.restUntil(model, mark));

/** What is set aside. `model`: `*` for all; `key`: which key of its provider, from 1; empty: all. */
export type OpenCircuit = Readonly<
  Record<'provider' | 'model' | 'key', string> & { state: 'open' | 'half_open' }
>;

/** What the breakers of providers have set aside, and the keys that rest. */
export const openCircuits = (providers: ReadonlyMap<string, Provider>): OpenCircuit[] =>
  [...providers.values()].flatMap(({ name: provider, keys, breaker }) =>
    breaker.list().flatMap(({ model, mark, state }) => {
      const index = keys.marks.indexOf(mark) + 1;
      // a key may be gone from the configuration
      if (mark !== '' && index === 0) return [];
      return [{ provider, model: model || '*', key: index === 0 ? '' : String(index), state }];
    }),
  );

const maxRemembered = 1000;

/** Adds a name to a set. Clients or providers choose the names, so the set is emptied at 1000. */
export function remember(names: Set<string>, name: string): void {
  if (names.size >= maxRemembered) names.clear();
  names.add(name);
}

/** Kept-alive connections to one provider's hosts: a pool for each origin, made on first use. */
class Upstreams {
  private readonly pools = new Map<string, Pool>();
  private closed: Promise<unknown> | undefined;

  constructor(
    private readonly connectTimeoutMs: number,
    private readonly connections: number | null,
  ) {}

  /** The pool and the path for a URL. @param url absolute */
  to(url: string): { pool: Dispatcher; path: string } {
    const slash = url.indexOf('/', url.indexOf('//') + 2);
    const origin = slash === -1 ? url : url.slice(0, slash);
    return {
      pool: this.pools.get(origin) ?? this.open(origin),
      path: slash === -1 ? '/' : url.slice(slash),
    };
  }

  /** Waits for calls in progress, then closes the connections. May be called again. */
  close(): Promise<unknown> {
    return (this.closed ??= Promise.all([...this.pools.values()].map((pool) => pool.close())));
  }

  private open(origin: string): Pool {
    const pool = new Pool(origin, {
      connections: this.connections,
      pipelining: 1,
      connect: { timeout: this.connectTimeoutMs },
      keepAliveTimeout: 30_000,
      // the attempt has its own timeouts
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.pools.set(origin, pool);
    return pool;
  }
}
