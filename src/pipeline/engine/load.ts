import { SlotQueue, type SlotRefusal } from '../../async/slot-queue.js';
import type { LoadFigures } from '../../telemetry/metrics/scraped-instruments.js';
import type { GatewaySnapshot } from './snapshot.js';
import { LoadShedder } from './load-shedder.js';

/** Receives waits and refusals. `provider`: empty for the gateway's own queue. */
export interface LoadReport {
  queueWaited(provider: string, ms: number): void;
  shed(reason: SlotRefusal | 'event_loop'): void;
}

/** What bounds the work of this process and of each provider. Outlives configurations. */
export class Load {
  /** The queue of all completions, embeddings, rerankings and pass-through calls. */
  readonly queue: SlotQueue;
  readonly shedder = new LoadShedder();
  /** The queues of calls, by provider. */
  private readonly providers = new Map<string, SlotQueue>();

  constructor(private readonly report: LoadReport) {
    this.queue = this.newQueue('', 'the gateway');
  }

  /** Sets the bounds of a configuration. */
  configure(limits: GatewaySnapshot['limits']): void {
    this.queue.bounds = {
      max: limits.maxConcurrent,
      maxPerAccount: limits.maxAccountConcurrent,
      maxWaitMs: limits.maxQueueMs,
    };
    this.shedder.maxDelayMs = limits.maxLoopDelayMs || null;
  }

  /** The queue of a provider, with this bound from now on. Null: the provider is not bounded. */
  slotsOf(name: string, max: number | null): SlotQueue | null {
    const queue = this.providers.get(name) ?? this.newQueue(name, name);
    queue.bounds = { ...this.queue.bounds, max, maxPerAccount: null };
    if (max === null) return null;
    this.providers.set(name, queue);
    return queue;
  }

  figures(): LoadFigures {
    const { running, limit, delayMs } = this.shedder;
    return {
      running,
      limit: limit === Infinity ? null : Math.floor(limit),
      loopDelayMs: Math.round(delayMs),
      queues: [['', this.queue] as const, ...this.providers].flatMap(([provider, queue]) =>
        queue.isBounded ? [{ provider, length: queue.length }] : [],
      ),
    };
  }

  private newQueue(provider: string, name: string): SlotQueue {
    return new SlotQueue({
      name,
      waited: (ms) => this.report.queueWaited(provider, ms),
      refused: (reason) => this.report.shed(reason),
    });
  }
}
