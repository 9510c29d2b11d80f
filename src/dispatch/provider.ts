import type { ProviderAdapter } from '../providers/adapter.js';
import { KeyRing } from './key-ring.js';
import { Upstreams } from './upstreams.js';

export interface ProviderTimeouts {
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
  readonly timeouts: ProviderTimeouts;
  /** Models that were found to refuse streaming; they are asked without. `rememberUnstreamed` adds to them. */
  readonly unstreamed: Set<string>;
}

/** What a provider may have beside its settings. */
export interface ProviderOptions {
  /** At most so many to one host at a time; null: as many as are needed. */
  connections?: number | null;
  /** Hears of a key that was set aside, by its mark. */
  onSetAside?: (mark: string, forMs: number) => void;
}

/** Makes a provider of its adapter, keys and deadlines. */
export function createProvider(
  adapter: ProviderAdapter,
  apiKeys: readonly string[],
  timeouts: ProviderTimeouts,
  { connections = null, onSetAside }: ProviderOptions = {},
): Provider {
  return {
    name: adapter.name,
    adapter,
    keys: new KeyRing(apiKeys, undefined, onSetAside),
    upstreams: new Upstreams(timeouts.connectMs, connections),
    timeouts,
    unstreamed: new Set(),
  };
}

/** Keys that are set aside stay so when a changed configuration makes its providers anew. */
export function keepAside(
  before: ReadonlyMap<string, Provider>,
  after: ReadonlyMap<string, Provider>,
): void {
  for (const [name, { keys }] of after) {
    const known = before.get(name);
    if (known) keys.takeOver(known.keys);
  }
}

const mostUnstreamed = 1000;

/** Keeps in mind that a model refuses streaming. The names are the clients' words: at a thousand of them it starts anew. */
export function rememberUnstreamed(
  { unstreamed }: Pick<Provider, 'unstreamed'>,
  model: string,
): void {
  if (unstreamed.size >= mostUnstreamed) unstreamed.clear();
  unstreamed.add(model);
}
