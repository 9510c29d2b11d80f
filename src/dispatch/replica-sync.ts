import { maxCooldownMs } from './key-ring.js';
import type { Provider } from './provider.js';
import { createLatencyWindow, type LatencyWindow } from '../models/latency-window.js';
import type { Counters } from '../store/contracts/counters.js';

type Channel = Pick<Counters, 'pubSub' | 'recentLists'>;

/**
 * The cooldown of a provider key as replicas publish it, without the key itself. `at` is epoch ms.
 */
interface Cooldown {
  readonly provider: string;
  /** The key's fingerprint. */
  readonly mark: string;
  readonly forMs: number;
  readonly at: number;
}
type Sample = readonly [provider: string, model: string, ttftMs: number];
interface Latencies {
  readonly samples: readonly Sample[];
  readonly at: number;
}

// topics that replicas of other versions know
const cooldownTopic = 'provider-keys-aside';
const latencyTopic = 'provider-latencies';
const batchMs = 1_000;
/** Samples that are published of each second. */
const maxSamples = 100;
const maxTexts = 120;
const minKeepMs = 600_000;
const keepLatenciesMs = 3_600_000;

/**
 * What replicas share about providers: which keys have a cooldown, and the latencies of first
 * tokens. Does nothing until `share` has been called with counters that other replicas use too.
 */
export class ReplicaSync {
  /** This process records its latencies here; the window includes those of other replicas. */
  readonly latencies: LatencyWindow;
  private channel: Channel | null = null;
  /** A uniform sample of this second's latencies (reservoir sampling), and how many there were. */
  private readonly batch: Sample[] = [];
  private seen = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param providers those of the configuration in force */
  constructor(
    private readonly providers: () => ReadonlyMap<string, Provider>,
    private readonly window: LatencyWindow = createLatencyWindow(),
  ) {
    this.latencies = {
      record: (provider, model, ttftMs) => {
        window.record(provider, model, ttftMs);
        if (this.channel) this.collect([provider, model, ttftMs]);
      },
      p50Ms: (offer) => window.p50Ms(offer),
    };
  }

  /** Begins to publish and subscribe, and reads what other replicas have published before. */
  async share({ state, pubSub, recentLists }: Counters): Promise<void> {
    if (state === 'memory' || this.channel) return;
    this.channel = { pubSub, recentLists };
    pubSub.subscribe(cooldownTopic, (text) => this.applyCooldown(readCooldown(text), 0));
    pubSub.subscribe(latencyTopic, (text) => this.applyLatencies(readLatencies(text), 0));
    const [cooldowns, latencies] = await Promise.all([
      recentLists.read(cooldownTopic),
      recentLists.read(latencyTopic),
    ]);
    for (const cooldown of cooldowns.map(readCooldown))
      this.applyCooldown(cooldown, ageOf(cooldown));
    // the oldest first, as they were measured
    for (const measured of latencies.map(readLatencies).reverse())
      this.applyLatencies(measured, ageOf(measured));
  }

  /**
   * Publishes the cooldown of a key, and applies it to the configuration in force: the request may
   * have run
   * on an older one.
   * @param mark the key's fingerprint
   */
  startCooldown(provider: string, mark: string, forMs: number): void {
    this.providers().get(provider)?.keys.applyCooldown(mark, forMs);
    const cooldown: Cooldown = { provider, mark, forMs, at: Date.now() };
    this.publish(cooldownTopic, cooldown, Math.max(forMs, minKeepMs));
  }

  /** Publishes nothing more. */
  close(): void {
    this.channel = null;
    clearTimeout(this.timer);
  }

  private applyCooldown(cooldown: Cooldown | null, ageMs: number): void {
    if (!cooldown) return;
    const { provider, mark, forMs } = cooldown;
    const leftMs = Math.min(forMs, maxCooldownMs) - ageMs;
    if (leftMs > 0) this.providers().get(provider)?.keys.applyCooldown(mark, leftMs);
  }

  private applyLatencies(measured: Latencies | null, ageMs: number): void {
    for (const [provider, model, ttftMs] of measured?.samples ?? [])
      this.window.record(provider, model, ttftMs, ageMs);
  }

  private collect(sample: Sample): void {
    this.seen++;
    if (this.batch.length < maxSamples) this.batch.push(sample);
    else {
      const place = Math.floor(Math.random() * this.seen);
      if (place < maxSamples) this.batch[place] = sample;
    }
    this.timer ??= setTimeout(() => this.publishBatch(), batchMs).unref();
  }

  private publishBatch(): void {
    this.timer = undefined;
    this.seen = 0;
    const measured: Latencies = { samples: this.batch.splice(0), at: Date.now() };
    this.publish(latencyTopic, measured, keepLatenciesMs);
  }

  private publish(topic: string, message: Cooldown | Latencies, keepMs: number): void {
    if (!this.channel) return;
    const text = JSON.stringify(message);
    this.channel.pubSub.publish(topic, text);
    this.channel.recentLists.add(topic, text, { maxTexts, keepMs });
  }
}

/** At least 0, because the clocks of different machines differ a little. */
const ageOf = (message: { readonly at: number } | null): number =>
  message ? Math.max(0, Date.now() - message.at) : 0;

function readCooldown(text: string): Cooldown | null {
  const { provider, mark, forMs, at } = readObject(text);
  const isCooldown =
    typeof provider === 'string' &&
    typeof mark === 'string' &&
    typeof forMs === 'number' &&
    typeof at === 'number';
  return isCooldown ? { provider, mark, forMs, at } : null;
}

function readLatencies(text: string): Latencies | null {
  const { samples, at } = readObject(text);
  return Array.isArray(samples) && typeof at === 'number'
    ? { samples: samples.filter(isSample), at }
    : null;
}

function isSample(value: unknown): value is Sample {
  if (!Array.isArray(value)) return false;
  const [provider, model, ttftMs] = value as unknown[];
  return typeof provider === 'string' && typeof model === 'string' && typeof ttftMs === 'number';
}

/** The fields of a message; none if it is not understood, as from a replica of another version. */
function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? { ...read } : {};
  } catch {
    return {};
  }
}
