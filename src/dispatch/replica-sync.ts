import type { CircuitChange } from './breaker.js';
import type { Provider } from './provider.js';
import { createLatencyWindow, type LatencyWindow } from '../models/latency-window.js';
import type { Counters } from '../store/contracts/counters.js';
import { jsonFields, parsedJson } from '../text/json-values.js';

/** A change of a circuit, or of a key by its fingerprint, as replicas publish it. */
type ProviderChange = CircuitChange & { readonly provider: string; readonly at: number };
type Sample = readonly [provider: string, model: string, ttftMs: number];
interface Latencies {
  readonly samples: readonly Sample[];
  readonly at: number;
}

// topics that replicas of other versions know
const latencyTopic = 'provider-latencies';
const circuitTopic = 'provider-circuits';
const batchMs = 1_000;
/** How many samples of each second are published. */
const maxSamples = 100;
const maxTexts = 120;
const minKeepMs = 600_000;
const keepLatenciesMs = 3_600_000;

/**
 * What replicas share about providers: which circuits are open, which keys rest, and the latencies of
 * first tokens. Does nothing until `share` has been called with counters that other replicas use too.
 */
export class ReplicaSync {
  /** This process records its latencies here; the window includes those of other replicas. */
  readonly latencies: LatencyWindow;
  private channel: Pick<Counters, 'pubSub' | 'recentLists'> | null = null;
  /** A uniform sample of this second's latencies (reservoir sampling), and how many there were. */
  private readonly batch: Sample[] = [];
  private seen = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly window = createLatencyWindow();

  /** @param providers those of the configuration in force */
  constructor(private readonly providers: () => ReadonlyMap<string, Provider>) {
    const { window } = this;
    this.latencies = {
      ...window,
      record: (provider, model, ttftMs) => {
        window.record(provider, model, ttftMs);
        if (this.channel) this.collect([provider, model, ttftMs]);
      },
    };
  }

  /** Begins to publish and subscribe, and reads what other replicas have published before. */
  async share({ state, pubSub, recentLists }: Counters): Promise<void> {
    if (state === 'memory' || this.channel) return;
    this.channel = { pubSub, recentLists };
    pubSub.subscribe(latencyTopic, (text) => this.applyLatencies(readLatencies(text), 0));
    pubSub.subscribe(circuitTopic, (text) => this.applyChange(readChange(text), 0));
    const [changes, latencies] = await Promise.all([
      recentLists.read(circuitTopic),
      recentLists.read(latencyTopic),
    ]);
    // the oldest first, as they happened
    for (const change of changes.map(readChange).reverse()) this.applyChange(change, ageOf(change));
    for (const measured of latencies.map(readLatencies).reverse())
      this.applyLatencies(measured, ageOf(measured));
  }

  publishChange(provider: string, change: CircuitChange): void {
    const message: ProviderChange = { ...change, provider, at: Date.now() };
    this.publish(circuitTopic, message, Math.max(change.forMs ?? 0, minKeepMs));
  }

  /** Publishes nothing more. */
  close(): void {
    this.channel = null;
    clearTimeout(this.timer);
  }

  private applyChange(message: ProviderChange | null, ageMs: number): void {
    if (!message) return;
    const { provider, at: _at, ...change } = message;
    this.providers().get(provider)?.breaker.apply(change, ageMs);
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

  private publish(topic: string, message: ProviderChange | Latencies, keepMs: number): void {
    if (!this.channel) return;
    const text = JSON.stringify(message);
    this.channel.pubSub.publish(topic, text);
    this.channel.recentLists.add(topic, text, { maxTexts, keepMs });
  }
}

/** At least 0, because the clocks of different machines differ a little. */
const ageOf = (message: { readonly at: number } | null): number =>
  message ? Math.max(0, Date.now() - message.at) : 0;

function readChange(text: string): ProviderChange | null {
  const read = readObject(text);
  return isChange(read) ? read : null;
}

function isChange(read: Readonly<Record<string, unknown>>): read is ProviderChange {
  const { provider, at, model, mark, forMs, failures, since, openings, isProbing } = read;
  const { cause } = read;
  const { at: failedAt, model: failed, code, message, status } = jsonFields(cause);
  return (
    [provider, model, mark, failed, code, message].every((one) => typeof one === 'string') &&
    [at, forMs ?? 0, failures, since, openings, failedAt, status ?? 0].every(Number.isFinite) &&
    typeof isProbing === 'boolean'
  );
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
const readObject = (text: string): Readonly<Record<string, unknown>> =>
  jsonFields(parsedJson(text));
