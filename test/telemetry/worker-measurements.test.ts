import { expect, it } from 'vitest';
import {
  type Measurements,
  sumMeasurements,
  WorkerMeasurements,
} from '../../src/telemetry/metrics/worker-measurements.js';

const counted = (value: number): Measurements => [
  {
    name: 'requests_total',
    help: 'Requests.',
    type: 'counter',
    aggregator: 'sum',
    values: [{ value, labels: {} }],
  },
];

/** Two workers, of which the second answers when it is told to. */
function twoWorkers() {
  let answer: (measured: Measurements) => void = () => undefined;
  const workers = new Map([
    [1, { call: () => Promise.resolve(counted(10)) }],
    [2, { call: () => new Promise<Measurements>((resolve) => (answer = resolve)) }],
  ]);
  return { workers, answer: (value: number) => answer(counted(value)) };
}

it.each([
  ['does not answer any more', () => undefined],
  ['has answered before', (answer: (value: number) => void) => answer(7)],
])(
  'a counter neither falls nor rises by a worker that ends in a scrape and %s',
  async (_, last) => {
    const metrics = new WorkerMeasurements();
    const { workers, answer } = twoWorkers();
    const total = async (gathered: Promise<Measurements[]>): Promise<unknown> => {
      const [family] = await sumMeasurements(await gathered).getMetricsAsJSON();
      return (family as { values: { value: number }[] }).values[0]?.value;
    };
    const first = metrics.gather(workers);
    answer(7);
    expect(await total(first)).toBe(17);
    const second = metrics.gather(workers);
    last(answer);
    await new Promise(setImmediate);
    workers.delete(2);
    metrics.remove(2);
    expect(await total(second)).toBe(17);
    expect(await total(metrics.gather(workers))).toBe(17);
  },
);
