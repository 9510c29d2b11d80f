import { candidateCount, selectionBodies } from '../selections.mjs';
import { key } from '../targets.mjs';

const ownRequests = 30;
const goalMs = 50;

const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

async function asked(port, path, body) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers,
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path} answers ${reply.status}: ${await reply.text()}`);
  return reply.json();
}

/** The ids of requests that had a choice among many candidates. */
async function ownIds(port) {
  for (const body of selectionBodies(1_024, ownRequests))
    await asked(port, '/api/v1/model-select', body);
  const { items } = await asked(port, `/api/v1/requests?limit=${ownRequests}`);
  return items.map(({ id }) => id);
}

/** What a moved slider costs: the built-in examples and own requests are chosen again. */
export const whatIfRows = [
  {
    name: 'what-if',
    unit: 'ms',
    goal: `p95 ≤ ${goalMs} ms`,
    title: `preview of a preference: examples and ${ownRequests} own requests of ${candidateCount} candidates, p95`,
    async run(bench) {
      const [{ port }] = (await bench.running()).filter(
        ({ target }) => target.name === 'signalbox',
      );
      const requests = await ownIds(port);
      const times = [];
      for (let round = 0; round < 8 * bench.options.slices; round++) {
        const weights = { quality: 1 + (round % 7), cost: 1 + (round % 5), latency: 1 };
        const startedAt = performance.now();
        await asked(port, '/api/v1/preferences/preview', {
          preference: { weights },
          requests,
          examples: true,
        });
        times.push(performance.now() - startedAt);
      }
      const sorted = times.slice(bench.options.slices).sort((a, b) => a - b);
      const p95 = sorted[Math.floor(sorted.length * 0.95)];
      return { values: { signalbox: p95 }, ratio: null, met: p95 <= goalMs };
    },
  },
];
