import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { atOnce } from '../async/turns.js';
import { compileSchema } from '../config/schema/compile-schema.js';
import { cutJson } from '../text/json-pieces.js';
import type { GatewaySnapshot } from '../pipeline/engine/snapshot.js';
import { measureRequest } from '../models/tokens.js';
import { parseBody } from './bodies/parse-body.js';
import { completionSurfaces } from './surfaces/completion-surfaces.js';

/** The rest of the start comes first. */
const delayMs = 300;
/** The pause between two steps, in which requests proceed. */
const pauseMs = 5;
/** The pause while requests keep the process busy: they come first. */
const busyPauseMs = 100;
const maxUtilization = 0.5;
/** V8 optimizes a validator after 400 calls with 80,000 messages. A step takes 5–10 ms. */
const steps = 50;
const callsInStep = 10;
const messagesInCall = 200;
/** Small, so that the samples are cut into pieces and their field names are counted. */
const pieceBytes = 1024;
const maxValues = 2_000;
const schemas = [
  ...completionSurfaces.map(({ schema }) => `${schema}.request`),
  'model-select.request',
  'embeddings.request',
  'rerank.request',
];
/**
 * V8's interrupt budget: how many bytes of a function's code run before V8 considers optimizing it.
 * Node 20 waits for 135,168: young processes took up to a quarter more time for a request. Later
 * versions count calls instead, and refuse the option.
 */
const compileAfter = 45_000;
const unknownModel = 'a model that no table knows';

let isPrepared = false;

/**
 * Does in the background what the first requests would otherwise wait for: compiles the schemas of
 * the busiest paths and the rules for model names, and prepares the ranker. Runs once per process,
 * and keeps no process alive.
 */
export function prepare(current: () => GatewaySnapshot): void {
  if (isPrepared) return;
  isPrepared = true;
  inTurn([
    ...schemas.map((name) => () => void compileSchema(name).accepts({})),
    () => void current().catalog.lookup(null, unknownModel),
    () => current().ranker.prepare?.(),
  ]);
}

/**
 * Has V8 optimize the code that reads bodies, in the background: the first large request of a
 * process delayed others by 70 ms while its messages were checked, the tenth by 15 ms (measured
 * 2026-11-22). Takes about half a second of one core, so it is for processes that only run a
 * gateway. Then frees the memory that this and the start have used.
 */
export function warmUp(): void {
  if (process.version.startsWith('v20.')) setFlagsFromString(`--interrupt-budget=${compileAfter}`);
  const bodies = samples();
  inTurn([...Array.from({ length: steps }, () => () => read(bodies)), collectGarbage]);
}

/**
 * V8 collects by itself only under load: until then a process keeps 30 MB. Takes some 40 ms. Not
 * after load: V8 would discard most of the code that it has optimized for requests, because none of
 * their objects is left, and the next 2,000 took three times as long.
 */
function collectGarbage(): void {
  if (busyPauses > ofStart) return;
  const session = new Session();
  session.connect();
  // inside of the callback Node 20 would wait for ever
  session.post('HeapProfiler.collectGarbage', () => setImmediate(() => session.disconnect()));
}

const waiting: (() => void)[] = [];
let busyPauses = 0;
/** For how many pauses at most the start alone keeps the process busy. */
const ofStart = 20;

function inTurn(work: readonly (() => void)[]): void {
  const isUnderWay = waiting.length > 0;
  waiting.push(...work);
  if (isUnderWay) return;
  let last = performance.eventLoopUtilization();
  const next = (): void => {
    const isBusy = performance.eventLoopUtilization(last).utilization > maxUtilization;
    if (isBusy) busyPauses++;
    else waiting.shift()?.();
    last = performance.eventLoopUtilization();
    if (waiting.length > 0) setTimeout(next, isBusy ? busyPauseMs : pauseMs).unref();
  };
  setTimeout(next, delayMs).unref();
}

function read(bodies: readonly Buffer[]): void {
  for (let call = 0; call < callsInStep; call++) {
    const bytes = bodies[call % bodies.length]!;
    atOnce(cutJson(bytes, pieceBytes));
    const body = parseBody(bytes, maxValues) as { messages: { role: string; content: string }[] };
    for (const name of schemas) compileSchema(name).accepts(body);
    measureRequest(body.messages);
  }
}

/**
 * Bodies that are valid on all surfaces, with their fields in different orders: V8 discards code
 * that it has optimized for objects of one shape at the first object of another.
 */
function samples(): Buffer[] {
  const messages = Array.from({ length: messagesInCall }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `some words, and the number ${index}`,
  }));
  const fields: readonly [string, unknown][] = [
    ['model', unknownModel],
    ['models', [unknownModel]],
    ['messages', messages],
    ['llm_providers', [{ provider: 'openai', model: unknownModel }]],
    ['input', 'some words'],
    ['stream', false],
  ];
  return fields.map((_, first) =>
    Buffer.from(
      JSON.stringify(Object.fromEntries([...fields.slice(first), ...fields.slice(0, first)])),
    ),
  );
}
