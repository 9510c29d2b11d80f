// What a second core brings: CPU time of one process and of two workers for the same requests, on
// two cores. The load generator and the provider need about a core themselves, so that the time on
// the clock says little: what counts is the CPU time of the gateway's own processes.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Bench } from '../bench.mjs';
import { short, tableOf } from '../table.mjs';
import { models, signalbox } from '../targets.mjs';

const coresUsed = 2;
/** What is written behind is written by then. */
const writtenMs = 600;
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
    share: 0.25,
  },
  {
    name: 'stored',
    title: 'JSON, native, stored',
    surface: 'native',
    model: models.whole,
    share: 0.5,
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

const familyOf = (pid) => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .split(' ')
    .filter(Boolean)
    .map(Number),
];

/**
 * A closed loop: requests a second on the clock, CPU time for a request in µs, and how many requests
 * a second two cores would do if the gateway had them to itself: its busiest thread needs one of
 * them, and all of its threads both.
 */
async function measure(bench, { target, port, child }, row, count) {
  const pids = familyOf(child.pid);
  const before = pids.map(cpuOf);
  const startedAt = performance.now();
  await bench.load(
    { target, port },
    () => [target.request(row.surface, row.model, row.name === 'stream')],
    count,
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  await wait(writtenMs);
  const used = pids.map((pid, index) => {
    const { main, all } = cpuOf(pid);
    return { main: (main - before[index].main) / count, all: (all - before[index].all) / count };
  });
  const busiest = Math.max(...used.map(({ main }) => main));
  const all = used.reduce((sum, process) => sum + process.all, 0);
  return {
    clock: count / seconds,
    all,
    busiest,
    first: used[0].all,
    capacity: 1e6 / Math.max(busiest, all / coresUsed),
  };
}

/** One row: one process beside two workers, slice by slice. */
async function runRow(bench, row) {
  const { dist, slices, requests } = bench.options;
  const more = { core: `0-${coresUsed - 1}`, limits: row.limits };
  const targets = [
    signalbox(dist, `one-${row.name}`, more),
    signalbox(dist, `two-${row.name}`, { ...more, args: ['--workers', String(coresUsed)] }),
  ];
  const running = await Promise.all(targets.map((target) => bench.launch(target)));
  // the second worker starts when the first one serves
  await wait(3_000);
  const count = Math.round(requests * row.share * 2);
  const measured = {};
  for (let slice = -2; slice < slices; slice++)
    for (const each of running) {
      const figures = await measure(bench, each, row, count);
      if (slice >= 0) (measured[each.target.name] ??= []).push(figures);
    }
  for (const each of running) each.child.kill('SIGTERM');
  return targets.map(({ name }) => medianOf(measured[name]));
}

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const medianOf = (all) =>
  Object.fromEntries(
    Object.keys(all[0]).map((figure) => [figure, middle(all.map((each) => each[figure]))]),
  );

/** @param options as `readOptions` gives them */
export async function runWorkers(options, selected = rows) {
  const bench = await Bench.start(options);
  const lines = [];
  for (const row of selected) {
    const [one, two] = await runRow(bench, row);
    lines.push([
      row.title,
      ...[one.all, one.busiest, two.all, two.busiest, two.first].map(short),
      ...[one.capacity, two.capacity].map((value) => short(value)),
      `${short(two.capacity / one.capacity)}×`,
      `${short(two.clock / one.clock)}×`,
    ]);
  }
  console.log(
    `\n${tableOf([['', 'one: CPU', 'its main thread', 'two: CPU', 'busiest main thread', 'supervisor', 'one: requests / s', 'two: requests / s', 'ratio', 'beside the load'], ...lines])}\n`,
  );
  console.log(
    `CPU in µs for each request. Requests a second are what ${coresUsed} cores would do if the gateway had them to itself: as many as its busiest thread allows on one core, and all of its threads on both. The last column is the ratio on the clock, with the load generator and the provider on the same cores.`,
  );
  await bench.stop();
}
