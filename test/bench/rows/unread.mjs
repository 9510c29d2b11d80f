import { setTimeout as wait } from 'node:timers/promises';
import { residentBytes } from '../processes.mjs';
import { models } from '../targets.mjs';

const perSecond = 500;
const settleMs = 3_000;
const maxKilobytes = 200;

/** Opens streams of 1 MB at a fresh process and reads nothing of them: the memory of each. */
async function kilobytesOf(bench, target) {
  const { streams, requests } = bench.options;
  const running = await bench.launch(target);
  const { port, child } = running;
  await bench.load(running, () => [target.request('openai', models.whole, false)], requests * 4);
  const before = await residentBytes(child);
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
  const bytes = (await residentBytes(child)) - before;
  await bench.tell({ kind: 'release' });
  await bench.end(running);
  return bytes / streams / 1024;
}

/** What clients cost that do not read. 10,000 of them need 20,000 descriptors. */
export const unreadRows = [
  {
    name: 'unread-memory',
    title: ({ streams }) => `${streams} streams of 1 MB that nobody reads: memory of each`,
    unit: 'KB',
    goal: `≤ ${maxKilobytes} KB`,
    async run(bench) {
      const values = {};
      for (const target of bench.targets) values[target.name] = await kilobytesOf(bench, target);
      return {
        values,
        ratio: values.signalbox / values.bare,
        met: values.signalbox <= maxKilobytes,
      };
    },
  },
];
