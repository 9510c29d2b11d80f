import { setTimeout as wait } from 'node:timers/promises';
import { cpuTimeUs, residentBytes } from '../processes.mjs';
import { models } from '../targets.mjs';

const perSecond = 1_000;

/** Holds streams of one chunk a second at a fresh process: the memory of each, the CPU of all. */
async function hold(bench, target) {
  const { streams, holdMs, requests } = bench.options;
  const running = await bench.launch(target);
  const { port, child } = running;
  // the heap has its usual size before the streams come
  await bench.load(running, () => [target.request('openai', models.whole, false)], requests * 4);
  await wait(Math.min(500, holdMs));
  const before = await residentBytes(child);
  await bench.tell({
    kind: 'hold',
    port,
    requests: [target.request('openai', models.held, true)],
    count: streams,
    perSecond,
  });
  const [cpuBefore, wallBefore] = [await cpuTimeUs(child), performance.now()];
  await wait(holdMs);
  const share = ((await cpuTimeUs(child)) - cpuBefore) / 1_000 / (performance.now() - wallBefore);
  const { live } = await bench.tell({ kind: 'heldNow' });
  const bytesEach = Math.max(0, (await residentBytes(child)) - before) / streams;
  await bench.tell({ kind: 'release' });
  await bench.end(running);
  return { kilobytes: bytesEach / 1024, share, dropped: streams - live };
}

const once = new WeakMap();

/** Holds the streams once; all rows read the same result. */
async function heldBy(bench) {
  if (!once.has(bench)) {
    const held = {};
    for (const target of bench.targets) held[target.name] = await hold(bench, target);
    once.set(bench, held);
  }
  return once.get(bench);
}

function heldRow(name, title, unit, goal, figure, limit) {
  return {
    name,
    unit,
    goal,
    title: ({ streams }) => `${streams} streams at one chunk a second: ${title}`,
    async run(bench) {
      const held = await heldBy(bench);
      const values = Object.fromEntries(
        Object.entries(held).map(([target, each]) => [target, figure(each)]),
      );
      return {
        values,
        ratio: values.signalbox / values.bare,
        met: values.signalbox <= limit(bench.options),
      };
    },
  };
}

/** What long-lived streams cost. */
export const heldRows = [
  heldRow(
    'held-memory',
    'memory of each',
    'KB',
    '≤ 30 KB',
    ({ kilobytes }) => kilobytes,
    () => 30,
  ),
  heldRow(
    'held-cpu',
    'CPU of all',
    'cores',
    '≤ 0.25 for 5,000',
    ({ share }) => share,
    ({ streams }) => (0.25 * streams) / 5_000,
  ),
  heldRow(
    'held-dropped',
    'dropped',
    'streams',
    'none',
    ({ dropped }) => dropped,
    () => 0,
  ),
];
