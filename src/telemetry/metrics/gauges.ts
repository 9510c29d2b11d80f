import { Gauge, type Registry } from 'prom-client';

/**
 * Registers a gauge of queued records. It is computed when scraped, because updating it would cost
 * more than the record.
 */
export function registerQueueGauge(
  registry: Registry,
  prefix: string,
  recordsQueued: () => Readonly<Record<string, number>>,
): void {
  new Gauge({
    name: `${prefix}signalbox_records_queued`,
    help: 'Request log records waiting to be written.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, size] of Object.entries(recordsQueued())) this.set({ kind }, size);
    },
  });
}

/** Registers a gauge that is 1 while replicas cannot share their limits. */
export function registerFallbackGauge(
  registry: Registry,
  prefix: string,
  isFallback: () => boolean,
): void {
  new Gauge({
    name: `${prefix}signalbox_counters_fallback`,
    help: '1 while replicas cannot share limits and budgets, and each counts for itself.',
    registers: [registry],
    collect() {
      this.set(isFallback() ? 1 : 0);
    },
  });
}
