// A bound for JSON requests, streams, stored turns and model selection: Express that parses the
// body, stores a row of the usual size behind, and forwards the body with undici or answers as many
// bytes as a selection has. It knows no keys, checks nothing, counts nothing, logs nothing and
// chooses nothing. Streams are piped; of one whose turn is stored it makes a whole answer. It stands
// where a build has its command line, so that it can be compared as one:
//   npm run bench -- --row=json --row=json-native --row=sse-singles --against=test/bench/express-only
//   npm run bench -- compare <dist> --dist=test/bench/express-only --row=select-http
// With STORES_NOTHING=1 it does not even store the row.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import { Pool } from 'undici';
import { sourceModule } from '../../source-module.mjs';

const dist = join(import.meta.dirname, '../../../../dist');
const { openStore } = await sourceModule(dist, 'store/open-store');
const { newRowId } = await sourceModule(dist, 'row-id');
const { listen, providers } = JSON.parse(
  readFileSync(process.argv[process.argv.indexOf('--config') + 1]),
);
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

const requestOf = (id) => ({
  ...{ id, requestId: id, traceId: null, accountId: 'nobody', keyId: null, surface: 'openai' },
  ...{ at: Date.now(), status: 200, code: null, error: null, field: null },
  ...{ provider: 'up', model: 'json', planId: null, conversationId: null, responseId: null },
  ...{ stream: false, latencyMs: 1, ttftMs: null, promptTokens: 60, completionTokens: 20 },
  ...{ costUsd: 0.0001, estimatedUsd: 0, heldUsd: 0, plan: null, attempts: null, content: null },
});

/** Stores what is added, together. */
function writeBehind(add) {
  let waiting = [];
  setInterval(() => {
    const rows = waiting;
    waiting = [];
    if (rows.length > 0) void add(rows);
  }, writeBehindMs);
  return (row) => storesNothing || waiting.push(row);
}
const storeSelection = writeBehind((rows) => store.selections.add(rows));
const storeRequest = writeBehind((rows) => store.requests.add(rows));

const app = express().disable('x-powered-by').disable('etag').use(express.json());
app.post('/api/v1/model-select', ({ body }, res) => {
  const id = newRowId();
  storeSelection(rowOf(id));
  res.json({ llm_label: 'openai/gpt-5', session_id: id, providers: body.llm_providers });
});
const upstream = new URL(providers.up.baseUrl);
const pool = new Pool(upstream.origin, { connections: null, pipelining: 1 });
const forwarded = (body) =>
  pool.request({
    path: `${upstream.pathname}/chat/completions`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const upstreamModel = (name) => name.slice('up/'.length);

app.post('/v1/chat/completions', async ({ body }, res) => {
  const answer = await forwarded({ ...body, model: upstreamModel(body.model) });
  storeRequest(requestOf(newRowId()));
  res.status(answer.statusCode);
  if (body.stream) answer.body.pipe(res.type('text/event-stream'));
  else res.type('json').send(Buffer.from(await answer.body.arrayBuffer()));
});

let [turns, isWriting] = [[], false];
async function writeTurns() {
  isWriting = true;
  while (turns.length > 0) {
    const batch = turns;
    turns = [];
    await store.conversations.append(batch.map(({ turn }) => turn));
    for (const { resolve } of batch) resolve();
  }
  isWriting = false;
}
/** Stores a turn, together with those that come while others are written. */
const storeTurn = (turn) =>
  new Promise((resolve) => {
    turns.push({ turn, resolve });
    if (!isWriting) void writeTurns();
  });

const message = (role, content) => ({
  ...{ id: newRowId(), role, content, provider: null, model: null },
  ...{ finishReason: null, usage: null, costUsd: null },
});

app.post('/api/v1/completions', async ({ body }, res) => {
  const { models, messages } = body;
  const answer = await forwarded({ model: upstreamModel(models[0]), messages, stream: true });
  let [text, rest] = ['', ''];
  for await (const bytes of answer.body) {
    const lines = `${rest}${bytes}`.split('\n');
    rest = lines.pop();
    for (const line of lines)
      if (line.startsWith('data: {'))
        text = `${text}${JSON.parse(line.slice('data: '.length)).choices[0]?.delta.content ?? ''}`;
  }
  storeRequest(requestOf(newRowId()));
  const said = message('assistant', text);
  await storeTurn({
    ...{ conversationId: newRowId(), accountId: 'nobody', begins: { title: 'a conversation' } },
    history: messages.map(({ role, content }) => message(role, content)),
    ...{ answer: said, at: Date.now() },
  });
  res.json({ id: said.id, content: [{ type: 'text', text }] });
});
app.listen(listen.port, listen.host);
