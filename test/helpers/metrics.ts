import { Metrics } from '../../src/telemetry/metrics/metrics.js';
import type { RunningGateway } from './gateway.js';
import { ask } from './sse.js';

/** The metrics of a gateway that does nothing. */
export const idleMetrics = (): Metrics =>
  new Metrics('', {
    isKnownModel: () => true,
    recordsQueued: () => ({}),
    isFallback: () => false,
    circuits: () => [],
    load: () => ({ running: 0, limit: null, loopDelayMs: 0, queues: [] }),
  });

/**
 * The value of a line of the metrics page, 0 if there is none. `labels` is a part of its labels:
 * `surface="openai"`.
 */
export async function metricOf(
  gateway: RunningGateway,
  name: string,
  ...labels: string[]
): Promise<number> {
  const { text } = await ask('GET', `${gateway.url}/metrics`, gateway.auth);
  const lines = text
    .split('\n')
    .filter(
      (line) =>
        (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
        labels.every((label) => line.includes(label)),
    );
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
