// What overload does: the rate of good answers and their times at 80 %, 100 % and three times of what
// the gateway can do, in an open loop, where clients send whether or not answers come. With
// shedding, and three times without it beside it.
import { setTimeout as wait } from 'node:timers/promises';
import { Bench } from '../bench.mjs';
import { cpuTimeUs } from '../processes.mjs';
import { short, tableOf } from '../table.mjs';
import { signalbox } from '../targets.mjs';

/**
 * A stream of a model of usual speed, and a whole answer. `connections`: enough to take all of a
 * core.
 */
const workloads = [
  {
    name: 'streams',
    title: '100 chunks within a second',
    model: 'sse-100-1-10000',
    streamed: true,
    connections: 400,
  },
  {
    name: 'whole',
    title: 'a whole answer of 1.1 KB at once',
    model: 'json',
    streamed: false,
    connections: 64,
  },
];
const shares = [0.8, 1, 3];
const goals = { goodput: 0.9, p99: 3 };
/** After fewer seconds V8 still compiles, and answers take twice the time. */
const warmUpSeconds = 10;
/** What clients have open: opening one costs more than a refusal. */
const clients = 2_000;
const maxLoopDelayMs = 50;

const p99 = (values) => Float64Array.from(values).sort()[Math.floor(values.length * 0.99)] ?? NaN;

async function launch(bench, { name, model, streamed }, limits) {
  const target = signalbox(bench.options.dist, `overload-${name}-${limits.maxLoopDelayMs}`, {
    config: { log: { level: 'warn' }, limits },
  });
  const running = await bench.launch(target);
  const request = target.request('openai', model, streamed);
  return { ...running, request };
}

/**
 * Good answers in a second of a process whose code is compiled, where so many are always under way.
 * @throws Error where there are none
 */
async function capacityOf(bench, { port, request }, { connections }, seconds) {
  const { done } = await bench.tell({
    kind: 'closedFor',
    port,
    requests: [request],
    connections,
    warmUpSeconds,
    seconds,
  });
  if (done === 0) throw new Error(`no answer within ${seconds} s: the machine is too busy`);
  return done / seconds;
}

async function offer(bench, { port, child, request }, perSecond, seconds) {
  const [startedAt, before] = [performance.now(), await cpuTimeUs(child)];
  const offered = await bench.tell({
    kind: 'offer',
    port,
    requests: [request],
    perSecond,
    warmUpSeconds: 2,
    seconds,
    connections: clients,
  });
  const ms = performance.now() - startedAt;
  const core = ((await cpuTimeUs(child)) - before) / 1_000 / ms;
  await wait(2_000);
  return { ...offered, core };
}

function rowOf({ name, title }, how, { capacity, most, calm }, offered) {
  const { share, goodput, refused, failures, totals, firsts, sent, core } = offered;
  const kept = goodput / most;
  const slower = p99(totals) / p99(calm.totals);
  const met = share > 1 ? kept >= goals.goodput && slower <= goals.p99 && failures === 0 : null;
  return [
    name,
    `${title}, ${how}`,
    `${short(share)} × ${short(capacity)}/s`,
    `${short(goodput)}/s`,
    `${short(kept * 100)} %`,
    short(core),
    short(p99(firsts)),
    short(p99(totals)),
    `${short(slower)} ×`,
    `${short((refused / sent) * 100)} %`,
    String(failures),
    share > 1 ? '≥ 90 %, ≤ 3 ×' : '',
    met === null ? '' : met ? 'yes' : 'NO',
  ];
}

/** Without shedding what the gateway can do, and what a flood does; with it all shares. */
async function measure(bench, workload) {
  const seconds = bench.options.quick ? 3 : 6;
  const bare = await launch(bench, workload, { maxLoopDelayMs: 0 });
  const capacity = await capacityOf(bench, bare, workload, seconds);
  const share = shares.at(-1);
  const flooded = bench.options.quick
    ? null
    : { share, ...(await offer(bench, bare, capacity * share, seconds)) };
  await bench.end(bare);
  const shedding = await launch(bench, workload, { maxLoopDelayMs });
  await offer(bench, shedding, capacity / 2, warmUpSeconds);
  const offers = [];
  for (const each of shares)
    offers.push({ share: each, ...(await offer(bench, shedding, capacity * each, seconds)) });
  await bench.end(shedding);
  const most = Math.max(...offers.map(({ goodput }) => goodput), capacity);
  const found = { capacity, most, calm: offers[0] };
  return [
    ...offers.map((each) => rowOf(workload, 'shedding', found, each)),
    ...(flooded ? [rowOf(workload, 'not shedding', found, flooded)] : []),
  ];
}

const head = [
  'row',
  'answers',
  'offered',
  'good',
  'of the most',
  'cores',
  'p99 first, ms',
  'p99 whole, ms',
  'of that at 0.8',
  'refused',
  'failed',
  'goal',
  'met',
];

/** Prints a row for each workload, share and way. */
export async function runOverload(options) {
  const bench = await Bench.start(options);
  const rows = [];
  for (const workload of workloads) {
    if (options.rows.length > 0 && !options.rows.includes(workload.name)) continue;
    process.stderr.write(`${workload.name} …\n`);
    rows.push(...(await measure(bench, workload)));
  }
  console.log(`\n${tableOf([head, ...rows])}\n`);
  console.log(
    `A request that is due while all ${clients} connections are busy waits for one, and its time counts from when it was due. Cores: what the gateway got of its one; where others run on it, the rest of the row says little.`,
  );
  await bench.stop();
}
