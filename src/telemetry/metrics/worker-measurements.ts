import { AggregatorRegistry, type Registry } from 'prom-client';
import { withTimeout } from '../../async/with-timeout.js';

/** What one process has measured, as prom-client's JSON. */
export type Measurements = readonly object[];

/** The measurements of several processes as those of one. */
export const sumMeasurements = (all: readonly Measurements[]): Registry =>
  AggregatorRegistry.aggregate([...all]);

const maxWaitMs = 1_000;

/**
 * Gathers the measurements of workers. When a worker ends, the counts that it last reported stay in
 * the sums: a counter never falls.
 */
export class WorkerMeasurements {
  private readonly last = new Map<number, Measurements>();
  private ended: Promise<Measurements> = Promise.resolve([]);

  /** One entry for each worker, by id, and one for those that have ended. Within a second. */
  async gather(
    workers: ReadonlyMap<number, { call(name: 'measurements'): Promise<Measurements> }>,
  ): Promise<Measurements[]> {
    const asked = [...workers].map(async ([id, worker]) => {
      const now = await withTimeout(worker.call('measurements'), maxWaitMs, () => null);
      if (now && workers.has(id)) this.last.set(id, now);
    });
    await Promise.all(asked);
    // both at once: one that ended meanwhile is in the one or in the other
    const [running, ended] = [[...this.last.values()], this.ended];
    return [...running, await ended];
  }

  /** A worker has ended. */
  remove(id: number): void {
    const counted = (this.last.get(id) ?? []).filter(
      (one) => !('type' in one && one.type === 'gauge'),
    );
    this.last.delete(id);
    this.ended = this.ended.then((ended) => sumMeasurements([ended, counted]).getMetricsAsJSON());
  }
}
