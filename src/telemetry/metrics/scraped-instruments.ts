import type { OpenCircuit } from '../../dispatch/execute-plan.js';
import type { InstrumentMaker } from './series.js';

/** The state that is read when the page is scraped. */
export interface ScrapedState {
  /** The number of records waiting to be written, by kind. */
  readonly recordsQueued: () => Readonly<Record<string, number>>;
  /** Whether replicas are currently unable to share limits. */
  readonly isFallback: () => boolean;
  /** The circuits that are not closed, and keys that rest. */
  readonly circuits: () => readonly OpenCircuit[];
  readonly load: () => LoadFigures;
}

/** How much is in progress, and how much waits. */
export interface LoadFigures {
  readonly running: number;
  /** How many may be in progress, while the event loop is late; null: no limit. */
  readonly limit: number | null;
  readonly loopDelayMs: number;
  /** `provider`: empty for the gateway's own. */
  readonly queues: readonly { readonly provider: string; readonly length: number }[];
}

/** Computed when scraped, because updating them would cost more than what they count. */
export const scrapedInstruments = (
  { gauge }: InstrumentMaker,
  { recordsQueued, isFallback, circuits, load }: ScrapedState,
) => ({
  queued: gauge(
    'signalbox_records_queued',
    'Request log records waiting to be written.',
    (queued) => {
      for (const [kind, size] of Object.entries(recordsQueued())) queued.set({ kind }, size);
    },
    ['kind'],
  ),
  fallback: gauge(
    'signalbox_counters_fallback',
    '1 while replicas cannot share limits and budgets, and each counts for itself.',
    (fallback) => fallback.set(isFallback() ? 1 : 0),
  ),
  running: gauge(
    'signalbox_requests_in_progress',
    'Completions, embeddings, rerankings and pass-through calls in progress.',
    (running) => running.set(load().running),
    [],
    'sum',
  ),
  loopDelay: gauge(
    'signalbox_event_loop_delay_seconds',
    'How late the event loop was at the last look, with requests in progress.',
    (delay) => delay.set(load().loopDelayMs / 1000),
  ),
  queueLengths: gauge(
    'signalbox_queue_length',
    "What waits for a slot: requests (no provider), or a provider's calls.",
    (lengths) => {
      lengths.reset();
      for (const { provider, length } of load().queues) lengths.set({ provider }, length);
    },
    ['provider'],
    'sum',
  ),
  circuits: gauge(
    'signalbox_circuit_state',
    'What the circuit breaker has set aside, and keys that rest: 2 open, 1 tried again.',
    (gauge) => {
      gauge.reset();
      for (const { state, ...labels } of circuits()) gauge.set(labels, state === 'open' ? 2 : 1);
    },
    ['provider', 'model', 'key'],
  ),
});
