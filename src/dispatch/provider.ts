import type { ProviderAdapter } from '../providers/adapter.js';
import { KeyRing } from './key-ring.js';
import { secretsOf } from './secrets.js';
import { type Dispatcher, Pool } from 'undici';

/** How long calls to a provider may wait, in ms. */
export interface CallTimeouts {
  connectMs: number;
  firstEventMs: number;
  idleMs: number;
}

/** A configured provider, ready to be called. */
export interface Provider {
  readonly name: string;
  readonly adapter: ProviderAdapter;
  readonly keys: KeyRing;
  readonly upstreams: Upstreams;
  readonly timeouts: CallTimeouts;
  /**
   * Models known to refuse streaming, which are called without it. `rememberUnstreamed` adds to
   * them.
   */
  readonly unstreamed: Set<string>;
  /** What no message may repeat, as `secretsOf` spells it. */
  readonly secrets: readonly string[];
}

/** Optional properties of a provider. */
export interface ProviderOptions {
  /** The most connections to one host; null: no limit. */
  connections?: number | null;
  /** Receives each cooldown of a key, which is identified by its fingerprint. */
  onCooldown?: (fingerprint: string, forMs: number) => void;
  /** What its requests carry beside its keys: values of configured headers, credentials. */
  secrets?: readonly string[];
}

/** Makes a provider of its adapter, keys and timeouts. */
export function createProvider(
  adapter: ProviderAdapter,
  apiKeys: readonly string[],
  timeouts: CallTimeouts,
  { connections = null, onCooldown, secrets = [] }: ProviderOptions = {},
): Provider {
  return {
    name: adapter.name,
    adapter,
    keys: new KeyRing(apiKeys, undefined, onCooldown),
    upstreams: new Upstreams(timeouts.connectMs, connections),
    timeouts,
    unstreamed: new Set(),
    // local servers are often given their own name as a key
    secrets: secretsOf([...apiKeys, ...secrets], [adapter.name]),
  };
}

/** Applies the cooldowns of keys to the providers of a changed configuration. */
export function inheritCooldowns(
  before: ReadonlyMap<string, Provider>,
  after: ReadonlyMap<string, Provider>,
): void {
  for (const [name, { keys }] of after) {
    const known = before.get(name);
    if (known) keys.inheritCooldowns(known.keys);
  }
}

const maxUnstreamed = 1000;

/**
 * Remembers that a model refuses streaming. Clients choose the names, so the set is emptied at
 * 1000.
 */
export function rememberUnstreamed(
  { unstreamed }: Pick<Provider, 'unstreamed'>,
  model: string,
): void {
  if (unstreamed.size >= maxUnstreamed) unstreamed.clear();
  unstreamed.add(model);
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
