import type { OpenCircuit } from '../../dispatch/execute-plan.js';
import type { InstrumentMaker } from './series.js';

/** What is asked when the page is scraped. */
export interface ScrapedState {
  /** The number of records waiting to be written, by kind. */
  recordsQueued(): Readonly<Record<string, number>>;
  /** Whether replicas are currently unable to share limits. */
  isFallback(): boolean;
  /** What is set aside. */
  circuits(): readonly OpenCircuit[];
}

/** Computed when scraped, because updating them would cost more than what they count. */
export const scrapedInstruments = (
  { gauge }: InstrumentMaker,
  { recordsQueued, isFallback, circuits }: ScrapedState,
) => ({
  queued: gauge(
    'signalbox_records_queued',
    'Request log records waiting to be written.',
    (queued) => {
      for (const [kind, size] of Object.entries(recordsQueued())) queued.set({ kind }, size);
    },
    'kind',
  ),
  fallback: gauge(
    'signalbox_counters_fallback',
    '1 while replicas cannot share limits and budgets, and each counts for itself.',
    (fallback) => fallback.set(isFallback() ? 1 : 0),
  ),
  circuits: gauge(
    'signalbox_circuit_state',
    'What the circuit breaker has set aside, and keys that rest: 2 open, 1 tried again.',
    (gauge) => {
      gauge.reset();
      for (const { state, ...labels } of circuits()) gauge.set(labels, state === 'open' ? 2 : 1);
    },
    'provider',
    'model',
    'key',
  ),
});
