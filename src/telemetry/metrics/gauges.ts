import { Gauge, type Registry } from 'prom-client';

/** A gauge that is read when the page is: setting it with every record would cost more than the record. */
export function registerQueueGauge(
  registry: Registry,
  prefix: string,
  recordsQueued: () => Readonly<Record<string, number>>,
): void {
  new Gauge({
    name: `${prefix}signalbox_records_queued`,
    help: 'Records of requests that wait to be written.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, size] of Object.entries(recordsQueued())) this.set({ kind }, size);
    },
  });
}

/** A gauge that is 1 while replicas cannot share their limits. */
export function registerFallbackGauge(
  registry: Registry,
  prefix: string,
  isFallback: () => boolean,
): void {
  new Gauge({
    name: `${prefix}signalbox_counters_fallback`,
    help: '1 while replicas should share limits and budgets and cannot: each counts for itself.',
    registers: [registry],
    collect() {
      this.set(isFallback() ? 1 : 0);
    },
  });
}
