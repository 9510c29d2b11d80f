import { expect, it } from 'vitest';
import { Metrics } from '../../src/telemetry/metrics/metrics.js';
import { parseExposition } from '../helpers/exposition.js';

/** A worker with so many requests in progress, as many that wait, and a loop that is so late. */
const worker = (running: number, loopDelayMs: number): Metrics =>
  new Metrics('', {
    isKnownModel: () => true,
    recordsQueued: () => ({ requests: running }),
    isFallback: () => running === 3,
    circuits: () => [],
    load: () => ({
      running,
      limit: null,
      loopDelayMs,
      queues: [{ provider: 'up', length: running }],
    }),
  });

it('shows of several workers what they have in progress and waiting together, and the worst of what is not a number of things', async () => {
  const workers = [worker(2, 30), worker(3, 10)];
  const [first] = workers;
  first!.gather = () => Promise.all(workers.map((one) => one.measurements()));
  const found = parseExposition((await first!.page(undefined)).text, 'prometheus');
  const valueOf = (name: string): number | undefined => found.get(name)?.samples[0]?.value;
  expect(valueOf('signalbox_requests_in_progress')).toBe(5);
  expect(valueOf('signalbox_queue_length')).toBe(5);
  expect(valueOf('signalbox_records_queued')).toBe(3);
  expect(valueOf('signalbox_event_loop_delay_seconds')).toBe(0.03);
  expect(valueOf('signalbox_counters_fallback')).toBe(1);
});
