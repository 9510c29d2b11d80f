import type { ProviderAdapter } from '../providers/adapter.js';
import { KeyRing } from './key-ring.js';
import { secretsOf } from './secrets.js';
import { Upstreams } from './upstreams.js';

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
