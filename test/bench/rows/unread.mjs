import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { familyOf, residentBytes } from '../processes.mjs';
import { models, signalbox } from '../targets.mjs';

const perSecond = 500;
const settleMs = 3_000;
const maxKilobytes = 200;

const limits = '/proc/self/limits';
/** Descriptors that a process may have. */
const maxOpen = existsSync(limits)
  ? Number(/^Max open files +(\d+)/m.exec(readFileSync(limits, 'latin1'))?.[1] ?? Infinity)
  : Infinity;
/** What a process has besides those of streams: one to the client and one to the provider. */
const ownDescriptors = 500;
const fitsOne = (streams) => streams * 2 + ownDescriptors <= maxOpen;

/** All targets; the gateway alone, with two workers, where one process may not have so many. */
const targetsOf = ({ targets, options: { streams, dist } }) =>
  fitsOne(streams) ? targets : [signalbox(dist, 'signalbox', { args: ['--workers', '2'] })];

/** Of all processes of the gateway. */
async function memoryOf(child, streams) {
  if (fitsOne(streams)) return residentBytes(child);
  const all = await Promise.all(familyOf(child.pid).map((pid) => residentBytes({ pid })));
  return all.reduce((sum, bytes) => sum + bytes, 0);
}

/** Opens streams of 1 MB at a fresh process and reads nothing of them: the memory of each. */
async function kilobytesOf(bench, target) {
  const { streams, requests } = bench.options;
  const running = await bench.launch(target);
  const { port, child } = running;
  // a second worker starts when the first one serves
  await wait(settleMs);
  await bench.load(running, () => [target.request('openai', models.whole, false)], requests * 4);
  const before = await memoryOf(child, streams);
  const request = target.request('openai', models.megabyte, true);
  await bench.tell({
    kind: 'hold',
    port,
    requests: [request],
    count: streams,
    perSecond,
    unread: true,
  });
  await wait(settleMs);
  const { live } = await bench.tell({ kind: 'heldNow' });
  if (live < streams) throw new Error(`${target.name} dropped ${streams - live} of ${streams}`);
  const bytes = (await memoryOf(child, streams)) - before;
  await bench.tell({ kind: 'release' });
  await bench.end(running);
  return bytes / streams / 1024;
}

/** What clients cost that do not read. */
export const unreadRows = [
  {
    name: 'unread-memory',
    title: ({ streams }) => `${streams} streams of 1 MB that nobody reads: memory of each`,
    unit: 'KB',
    goal: `≤ ${maxKilobytes} KB`,
    async run(bench) {
      const values = {};
      for (const target of targetsOf(bench)) values[target.name] = await kilobytesOf(bench, target);
      return {
        values,
        ratio: values.signalbox / values.bare,
        met: values.signalbox <= maxKilobytes,
      };
    },
  },
];
