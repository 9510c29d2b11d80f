import type { Provider } from './provider.js';
import { createLatencyWindow, type LatencyWindow } from '../routing/latency-window.js';
import type { Counters } from '../store/contracts/counters.js';

type Wire = Pick<Counters, 'bulletin' | 'notes'>;

/** What replicas call a key that is set aside; the key itself is never told. `at` is epoch ms. */
interface Aside {
  readonly provider: string;
  readonly mark: string;
  readonly forMs: number;
  readonly at: number;
}
type Sample = readonly [provider: string, model: string, ttftMs: number];
interface Measured {
  readonly samples: readonly Sample[];
  readonly at: number;
}

const asides = 'provider-keys-aside';
const latencies = 'provider-latencies';
const batchMs = 1_000;
/** Of what is measured in a second, so much is told. */
const mostSamples = 100;
const mostNotes = 120;
const leastKeepMs = 600_000;
const keepLatenciesMs = 3_600_000;
const longestAsideMs = 86_400_000;

/**
 * What replicas tell each other about providers: which keys are set aside, and how long first tokens took. Until `share` has been called with
 * counters that others see too, nothing is told and nothing is heard.
 */
export class ReplicaSync {
  /** Where this process puts what it measures; what others have measured counts in it too. */
  readonly latencies: LatencyWindow;
  private wire: Wire | null = null;
  private readonly batch: Sample[] = [];
  private seen = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param providers those of the configuration that is in force now */
  constructor(
    private readonly providers: () => ReadonlyMap<string, Provider>,
    private readonly window: LatencyWindow = createLatencyWindow(),
  ) {
    this.latencies = {
      record: (provider, model, ttftMs) => {
        window.record(provider, model, ttftMs);
        if (this.wire) this.collect([provider, model, ttftMs]);
      },
      p50Ms: (provider, model) => window.p50Ms(provider, model),
    };
  }

  /** Begins to tell and to listen, and learns what the other replicas know already. */
  async share({ state, bulletin, notes }: Counters): Promise<void> {
    if (state === 'memory' || this.wire) return;
    this.wire = { bulletin, notes };
    bulletin.hear(asides, (text) => this.hearAside(readAside(text), 0));
    bulletin.hear(latencies, (text) => this.hearMeasured(readMeasured(text), 0));
    const [knownAsides, knownLatencies] = await Promise.all([
      notes.read(asides),
      notes.read(latencies),
    ]);
    for (const aside of knownAsides.map(readAside)) this.hearAside(aside, ageOf(aside));
    // the oldest first, as they were measured
    for (const measured of knownLatencies.map(readMeasured).reverse())
      this.hearMeasured(measured, ageOf(measured));
  }

  /** A key was set aside here: by the configuration in force, or by one before it that a request still runs on. */
  startCooldown(provider: string, mark: string, forMs: number): void {
    this.providers().get(provider)?.keys.applyCooldown(mark, forMs);
    const aside: Aside = { provider, mark, forMs, at: Date.now() };
    this.tell(asides, aside, Math.max(forMs, leastKeepMs));
  }

  /** Tells nothing more. */
  close(): void {
    this.wire = null;
    clearTimeout(this.timer);
  }

  private hearAside(aside: Aside | null, ageMs: number): void {
    if (!aside) return;
    const leftMs = Math.min(aside.forMs, longestAsideMs) - ageMs;
    if (leftMs > 0) this.providers().get(aside.provider)?.keys.applyCooldown(aside.mark, leftMs);
  }

  private hearMeasured(measured: Measured | null, ageMs: number): void {
    for (const [provider, model, ttftMs] of measured?.samples ?? [])
      this.window.record(provider, model, ttftMs, ageMs);
  }

  /** Each sample of a second is told with the same chance. */
  private collect(sample: Sample): void {
    this.seen++;
    if (this.batch.length < mostSamples) this.batch.push(sample);
    else {
      const place = Math.floor(Math.random() * this.seen);
      if (place < mostSamples) this.batch[place] = sample;
    }
    this.timer ??= setTimeout(() => this.tellBatch(), batchMs).unref();
  }

  private tellBatch(): void {
    this.timer = undefined;
    this.seen = 0;
    const measured: Measured = { samples: this.batch.splice(0), at: Date.now() };
    this.tell(latencies, measured, keepLatenciesMs);
  }

  private tell(topic: string, news: Aside | Measured, keepMs: number): void {
    if (!this.wire) return;
    const text = JSON.stringify(news);
    this.wire.bulletin.tell(topic, text);
    this.wire.notes.add(topic, text, { most: mostNotes, keepMs });
  }
}

/** Clocks of different machines differ a little. */
const ageOf = (news: { readonly at: number } | null): number =>
  news ? Math.max(0, Date.now() - news.at) : 0;

function readAside(text: string): Aside | null {
  const { provider, mark, forMs, at } = readObject(text);
  const isAside =
    typeof provider === 'string' &&
    typeof mark === 'string' &&
    typeof forMs === 'number' &&
    typeof at === 'number';
  return isAside ? { provider, mark, forMs, at } : null;
}

function readMeasured(text: string): Measured | null {
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

/** A replica of another version may tell what this one does not understand. */
function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? { ...read } : {};
  } catch {
    return {};
  }
}
