// What a second core brings: one process and two workers serve the same requests. The load generator
// and the provider need a part of two cores themselves, so their share is subtracted in two ways: the
// gateway's processes are measured together on the core that the others leave alone, and on both cores
// the CPU time of the others is no time of the gateway.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Bench } from '../bench.mjs';
import { chosenRows } from '../options.mjs';
import { cores, cpuTimeUs, familyOf } from '../processes.mjs';
import { interleave, median } from '../slices.mjs';
import { short, tableOf } from '../table.mjs';
import { models, signalbox } from '../targets.mjs';

const coresUsed = 2;
/** What is written behind is written by then. */
const writtenMs = 600;
/** Before the first slice, as a multiple of one: every worker has to compile its code. */
const warmUp = 12;
const maxSlices = 7;
const goal = 1.7;
/** Enough that no request is refused. */
const limits = { requestsPerMinute: 1e9, tokensPerMinute: 1e12, dayBudgetUsd: 1e6 };

const rows = [
  { name: 'whole', title: 'JSON', surface: 'openai', model: models.whole, share: 1 },
  {
    name: 'limits',
    title: 'JSON, a key with limits',
    surface: 'openai',
    model: models.whole,
    share: 1,
    limits,
  },
  {
    name: 'stream',
    title: 'a stream of 100 chunks',
    surface: 'openai',
    model: models.answer,
    share: 0.2,
  },
  {
    name: 'unlogged',
    title: 'JSON, without the request log',
    surface: 'openai',
    model: models.whole,
    share: 1,
    config: { requestLog: { enabled: false } },
  },
  {
    name: 'stored',
    title: 'JSON, native, stored',
    surface: 'native',
    model: models.whole,
    share: 0.4,
  },
];

/** CPU time in µs of the main thread, and of all threads of a process. */
function cpuOf(pid) {
  const tasks = `/proc/${pid}/task`;
  const us = (task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'latin1').split(' ', 1)[0]) / 1_000;
  const all = readdirSync(tasks).reduce((sum, task) => sum + us(task), 0);
  return { main: us(pid), all };
}

/** Lets all threads of processes run on these cores. */
const pin = (pids, list) =>
  pids.forEach((pid) =>
    execFileSync('taskset', ['-a', '-c', '-p', list, String(pid)], { stdio: 'ignore' }),
  );

const send = (bench, { target, port }, row, count) =>
  bench.load(
    { target, port },
    () => [target.request(row.surface, row.model, row.name === 'stream')],
    count,
  );

/** CPU time of the gateway for each request, in µs, while all of it runs on one core. */
async function cpuFor(bench, running, row, count) {
  const pids = familyOf(running.child.pid);
  pin(pids, String(cores.measured));
  const before = pids.map(cpuOf);
  await send(bench, running, row, count);
  await wait(writtenMs);
  const used = pids.map((pid, index) => {
    const { main, all } = cpuOf(pid);
    return { main: (main - before[index].main) / count, all: (all - before[index].all) / count };
  });
  const [{ main, all: first }, ...workers] = used;
  const all = used.reduce((sum, process) => sum + process.all, 0);
  // connections are shared out evenly
  const inWorkers = workers.reduce((sum, process) => sum + process.main, 0) / workers.length;
  return { all, first, busiest: workers.length === 0 ? main : Math.max(main, inWorkers) };
}

/** µs of the clock for each request on both cores, in all and without what the load used of them. */
async function clockFor(bench, running, row, count) {
  pin(familyOf(running.child.pid), `0-${coresUsed - 1}`);
  const loadUs = async () => (await cpuTimeUs(bench.generator)) + (await cpuTimeUs(bench.upstream));
  const [before, startedAt] = [await loadUs(), performance.now()];
  await send(bench, running, row, count);
  const clock = ((performance.now() - startedAt) * 1_000) / count;
  return { clock, load: ((await loadUs()) - before) / count };
}

/** One row: one process beside two workers, slice by slice. */
async function runRow(bench, row) {
  const { dist, slices, requests } = bench.options;
  const running = [];
  for (const [name, args] of [
    ['one', []],
    ['two', ['--workers', String(coresUsed)]],
  ]) {
    const { limits: limited, config } = row;
    const more = { core: `0-${coresUsed - 1}`, limits: limited, config, args };
    running.push(await bench.launch(signalbox(dist, `${name}-${row.name}`, more)));
  }
  // the second worker starts when the first one serves
  await wait(2_000);
  const count = Math.round(requests * row.share);
  for (const each of running) await send(bench, each, row, count * warmUp);
  const measured = await interleave(
    running,
    { slices: Math.min(slices, maxSlices), warmUps: 0 },
    async (each) => ({
      ...(await cpuFor(bench, each, row, count)),
      ...(await clockFor(bench, each, row, count)),
    }),
  );
  for (const each of running) await bench.end(each);
  return running.map(({ target }) => measured[target.name]);
}

/** µs of the clock for each request if the gateway had both cores: its busiest thread needs one. */
const alone = ({ all, busiest }) => Math.max(busiest, all / coresUsed);
/** The same from the clock. */
const withoutLoad = ({ clock, load, busiest }) => Math.max(busiest, clock - load / coresUsed);

const ratioOf = (one, two, figure) =>
  median(one.map((each, slice) => figure(each) / figure(two[slice])));

/** @param options as `readOptions` gives them */
export async function runWorkers(options) {
  const bench = await Bench.start(options);
  const lines = [];
  for (const row of chosenRows(rows, options.rows)) {
    process.stderr.write(`${row.name} …\n`);
    const [one, two] = await runRow(bench, row);
    const of = (all, figure) => short(median(all.map((each) => each[figure])));
    lines.push([
      row.title,
      of(one, 'all'),
      of(one, 'busiest'),
      of(two, 'all'),
      of(two, 'busiest'),
      of(two, 'first'),
      of(two, 'load'),
      `${short(ratioOf(one, two, alone))}×`,
      `${short(ratioOf(one, two, withoutLoad))}×`,
      `${short(ratioOf(one, two, ({ clock }) => clock))}×`,
    ]);
  }
  console.log(
    `\n${tableOf([['', 'one: CPU', 'its main thread', 'two: CPU', 'busiest main thread', 'supervisor', 'the load', 'ratio', 'on the clock', 'beside the load'], ...lines])}\n`,
  );
  console.log(
    `CPU in µs for each request. Ratio: requests a second of two workers, of those of one process (goal: ${goal}), if the gateway had ${coresUsed} cores to itself: as many as its busiest thread allows on one core, and all of its threads on both. On the clock: the same from the time that requests took on both cores, less the CPU time of the load generator and the provider. Beside the load: that time as it is.`,
  );
  await bench.stop();
}
