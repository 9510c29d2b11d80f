// How much CPU time a plan takes within the process: told over IPC how large the conversations are, answers with µs a call, in batches.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { selectionBodies } from './selections.mjs';

const load = (file) => import(pathToFileURL(join(process.env.DIST, file)).href);
const [
  { makePlan },
  { createCatalog },
  { createLatencyWindow },
  { createLearnedRanker },
  { shippedPredictor },
  { candidateOfEntry, routingRequestOf },
] = await Promise.all(
  [
    'routing/make-plan.js',
    'routing/catalog.js',
    'routing/latency-window.js',
    'routing/rankers/learned-ranker.js',
    'routing/learned/shipped-router.js',
    'http/surfaces/model-select.js',
  ].map(load),
);

const catalog = createCatalog({});
const shared = {
  catalog,
  latencies: createLatencyWindow(),
  ranker: createLearnedRanker({ predictor: shippedPredictor() }),
  limits: { retriesPerCandidate: 2, firstEventTimeoutMs: 1, idleTimeoutMs: 1, totalTimeoutMs: 1 },
  blame: { field: 'llm_providers', code: 'bad_request' },
};
const planOf = (body) =>
  makePlan({
    ...shared,
    request: routingRequestOf(body),
    candidates: body.llm_providers.map((entry) => candidateOfEntry(entry, catalog.identify)),
  });

async function cpuPerCall(bodies) {
  const before = process.cpuUsage();
  for (const body of bodies) await planOf(body);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / bodies.length;
}

process.on('message', async ({ id, characters, batches, warmUps }) => {
  const bodies = selectionBodies(characters, 64);
  for (let round = 0; round < warmUps; round++) await cpuPerCall(bodies);
  const result = [];
  for (let round = 0; round < batches; round++) result.push(await cpuPerCall(bodies));
  process.send({ id, result });
});
process.on('disconnect', () => process.exit());
process.send({ ready: true });
