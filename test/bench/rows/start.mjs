import { setTimeout as wait } from 'node:timers/promises';
import { residentBytes } from '../processes.mjs';
import { interleave, medians, ratioOf } from '../slices.mjs';

/** What is warmed up in the background is over by then, and its garbage given back. */
const settleMs = 3_000;
const once = new WeakMap();

/** Starts each target several times; both rows read the same result. */
async function startsOf(bench) {
  if (!once.has(bench)) {
    const started = await interleave(
      bench.targets.map((target) => ({ target })),
      { slices: bench.options.starts, warmUps: 0 },
      async ({ target }) => {
        const running = await bench.launch(target);
        await wait(settleMs);
        const megabytes = (await residentBytes(running.child)) / 1024 / 1024;
        await bench.end(running);
        return { seconds: running.firstAnswerMs / 1_000, megabytes };
      },
    );
    once.set(bench, started);
  }
  return once.get(bench);
}

function startRow(name, title, unit, goal, figure, limit) {
  return {
    name,
    title,
    unit,
    goal,
    async run(bench) {
      const started = await startsOf(bench);
      const measured = Object.fromEntries(
        Object.entries(started).map(([target, starts]) => [target, starts.map(figure)]),
      );
      const values = medians(measured);
      return {
        values,
        ratio: ratioOf(measured, 'signalbox', 'bare'),
        met: values.signalbox <= limit,
      };
    },
  };
}

/** What a new process costs. */
export const startRows = [
  startRow('rest', 'memory at rest', 'MB', '≤ 110 MB', ({ megabytes }) => megabytes, 110),
  startRow('start', 'start to the first answer', 's', '≤ 0.8 s', ({ seconds }) => seconds, 0.8),
];
