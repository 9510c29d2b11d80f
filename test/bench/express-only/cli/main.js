// A bound for model selection over HTTP: Express that parses the body, stores a row of the usual size
// behind, and answers as many bytes. It knows no keys, checks nothing, logs nothing and chooses
// nothing. It stands where a build has its command line, so that it can be compared as one:
//   npm run bench -- compare <dist> --dist=test/bench/express-only --row=select-http
// With STORES_NOTHING=1 it does not even store the row.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import { sourceModule } from '../../source-module.mjs';

const { openStore } = await sourceModule(
  join(import.meta.dirname, '../../../../dist'),
  'store/open-store',
);
const { listen } = JSON.parse(readFileSync(process.argv[process.argv.indexOf('--config') + 1]));
const store = await openStore(`file:${join(process.cwd(), `express-only-${listen.port}.db`)}`);
/** How long decisions wait to be written together, as in the gateway. */
const writeBehindMs = 200;
/** Bytes of the candidates of a stored decision of forty. */
const storedBytes = 2_700;
const storesNothing = process.env['STORES_NOTHING'] === '1';
const candidates = JSON.stringify(['x'.repeat(storedBytes)]);

const rowOf = (id) => ({
  id,
  accountId: 'nobody',
  keyId: null,
  previousId: null,
  at: Date.now(),
  label: 'openai/gpt-5',
  candidates,
  reason: 'nothing was chosen',
  tradeoff: null,
  preferenceId: null,
  content: null,
});

let waiting = [];
setInterval(() => {
  const rows = waiting;
  waiting = [];
  if (rows.length > 0) void store.selections.add(rows);
}, writeBehindMs);

const app = express().disable('x-powered-by').disable('etag').use(express.json());
app.post('/api/v1/model-select', ({ body }, res) => {
  const id = randomUUID();
  if (!storesNothing) waiting.push(rowOf(id));
  res.json({ llm_label: 'openai/gpt-5', session_id: id, providers: body.llm_providers });
});
// what the load generator asks first
app.post('/v1/chat/completions', (_req, res) => res.json({}));
app.listen(listen.port, listen.host);
