// Measures the CPU time of a plan within the process, through the package's public face: the stage
// `selectModel` on a body that is parsed already. Internal modules move between builds, the face
// stays.
// Told over IPC how long the conversations are; answers with µs of CPU a plan, one value a batch.
import { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { selectionBodies } from './selections.mjs';

const { createGateway } = await import(pathToFileURL(join(process.env.DIST, 'index.js')).href);
// without the request log: storing the decision is measured over HTTP
const gateway = createGateway({ log: { level: 'silent' }, requestLog: { enabled: false } });

function planOf(body) {
  const req = Object.assign(new IncomingMessage(null), {
    method: 'POST',
    url: '/plan',
    originalUrl: '/plan',
    headers: { 'content-type': 'application/json' },
    query: {},
    complete: true,
    body,
  });
  return new Promise((resolve, reject) =>
    gateway.selectModel(req, new ServerResponse(req), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
}

async function cpuPerCall(bodies) {
  const before = process.cpuUsage();
  for (const body of bodies) await planOf(body);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / bodies.length;
}

process.on('message', async ({ id, characters, batches, warmUps }) => {
  try {
    const bodies = selectionBodies(characters, 64);
    for (let round = 0; round < warmUps; round++) await cpuPerCall(bodies);
    const result = [];
    for (let round = 0; round < batches; round++) result.push(await cpuPerCall(bodies));
    process.send({ id, result });
  } catch (error) {
    process.send({ id, error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
process.send({ ready: true });
