// What overload does: the rate of good answers and their times at 80 %, 100 % and three times of what
// the gateway can do, in an open loop, where clients send whether or not answers come. With
// shedding, and without it beside it.
import { setTimeout as wait } from 'node:timers/promises';
import { Bench } from '../bench.mjs';
import { short, tableOf } from '../table.mjs';
import { signalbox } from '../targets.mjs';

/** A stream of a model of usual speed, and a whole answer. `connections`: enough to take all of a core. */
const workloads = [
  {
    name: 'streams',
    title: '100 chunks within a second',
    model: 'sse-100-1-10000',
    streamed: true,
    connections: 800,
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

const p99 = (values) => Float64Array.from(values).sort()[Math.floor(values.length * 0.99)] ?? NaN;

async function launch(bench, name, limits) {
  const target = signalbox(bench.options.dist, `overload-${name}`, {
    config: { log: { level: 'warn' }, limits },
  });
  return bench.launch(target);
}

/** Good answers in a second where so many are always under way: what the gateway can do. */
async function capacityOf(bench, { port }, request, { connections }, seconds) {
  const { done } = await bench.tell({
    kind: 'closedFor',
    port,
    requests: [request],
    connections,
    warmUpSeconds: seconds,
    seconds,
  });
  if (done === 0) throw new Error(`no answer within ${seconds} s: the machine is too busy`);
  return done / seconds;
}

async function offer(bench, { port }, request, perSecond, seconds) {
  const offered = await bench.tell({
    kind: 'offer',
    port,
    requests: [request],
    perSecond,
    warmUpSeconds: seconds / 2,
    seconds,
  });
  // what was taken ends, and the bound on it is forgotten
  await wait(3_000);
  return offered;
}

async function measure(bench, workload, limits) {
  const running = await launch(bench, workload.name, limits);
  const request = running.target.request('openai', workload.model, workload.streamed);
  const seconds = bench.options.quick ? 4 : 8;
  const capacity = await capacityOf(bench, running, request, workload, seconds);
  const offers = [];
  for (const share of shares)
    offers.push({ share, ...(await offer(bench, running, request, capacity * share, seconds)) });
  await bench.end(running);
  return { capacity, offers };
}

function rowsOf({ name, title }, how, { capacity, offers }) {
  const most = Math.max(...offers.map(({ goodput }) => goodput), capacity);
  const [calm] = offers;
  return offers.map(({ share, goodput, refused, failures, totals, firsts, sent }) => {
    const kept = goodput / most;
    const slower = p99(totals) / p99(calm.totals);
    const met = share > 1 ? kept >= goals.goodput && slower <= goals.p99 && failures === 0 : null;
    return [
      name,
      `${title}, ${how}`,
      `${short(share)} × ${short(capacity)}/s`,
      `${short(goodput)}/s`,
      `${short(kept * 100)} %`,
      short(p99(firsts)),
      short(p99(totals)),
      `${short(slower)} ×`,
      `${short((refused / sent) * 100)} %`,
      String(failures),
      met === null ? '' : met ? 'yes' : 'NO',
    ];
  });
}

const head = [
  'row',
  'answers',
  'offered',
  'good',
  'of the most',
  'p99 first, ms',
  'p99 whole, ms',
  'of that at 0.8',
  'refused',
  'failed',
  'met',
];

/** Prints a row for each workload, share and way. */
export async function runOverload(options) {
  const bench = await Bench.start(options);
  const rows = [];
  for (const workload of workloads) {
    if (options.rows.length > 0 && !options.rows.includes(workload.name)) continue;
    process.stderr.write(`${workload.name} …\n`);
    const shed = await measure(bench, workload, { maxLoopDelayMs: 100 });
    rows.push(...rowsOf(workload, 'shedding', shed));
    if (options.quick) continue;
    const unshed = await measure(bench, workload, { maxLoopDelayMs: 0 });
    rows.push(...rowsOf(workload, 'not shedding', unshed));
  }
  console.log(`\n${tableOf([head, ...rows])}\n`);
  await bench.stop();
}
