import { interleave, median } from '../slices.mjs';
import { direct, models } from '../targets.mjs';

/**
 * What a target adds to the upstream's own time, in ms: at a fixed rate of requests, or without one
 * over a single connection. `pick` chooses the figure to compare.
 */
function addedRow({ name, title, unit, goal, model, streamed, perSecond, share, pick, met }) {
  const load = perSecond ? { kind: 'open', perSecond } : { kind: 'closed', connections: 1 };
  return {
    name,
    title,
    unit,
    goal,
    async run(bench) {
      const { slices, requests } = bench.options;
      const count = Math.max(2, Math.round(requests * share));
      const running = await bench.sharedAnswering(
        (target) => target.request('openai', model, streamed),
        '',
        [direct, ...bench.targets],
      );
      const measured = await interleave(
        running,
        { slices, warmUps: 2 },
        async ({ target, port }) => {
          const answers = await bench.tell({
            ...load,
            port,
            requests: [target.request('openai', model, streamed)],
            count,
          });
          if (answers.failures > 0)
            throw new Error(`${answers.failures} of ${count} requests to ${target.name} failed`);
          return pick(answers);
        },
      );
      const values = Object.fromEntries(
        running.map(({ target }) => [
          target.name,
          median(measured[target.name].map((value, round) => value - measured[direct.name][round])),
        ]),
      );
      return { values, ratio: values.signalbox / values.bare, met: met(values) };
    },
  };
}

/** One connection in a closed loop: the time that `share` of the requests take at most. */
const oneConnection = (name, share, limitMs) =>
  addedRow({
    name,
    title: `${name.slice(4)} added, one connection`,
    unit: 'ms',
    goal: `≤ ${limitMs} ms`,
    model: models.whole,
    streamed: false,
    share: 1,
    pick: ({ totals }) => totals.sort((a, b) => a - b)[Math.floor(totals.length * share)],
    met: ({ signalbox }) => signalbox <= limitMs,
  });

/** How much longer a client waits. */
export const latencyRows = [
  oneConnection('one-p50', 0.5, 0.1),
  oneConnection('one-p99', 0.99, 0.3),
  addedRow({
    name: 'added',
    title: 'p50 added at 500 requests/s',
    unit: 'ms',
    goal: '≤ 2× what nginx adds (not here)',
    model: models.whole,
    streamed: false,
    perSecond: 500,
    share: 0.6,
    pick: ({ totals }) => median(totals),
    met: () => null,
  }),
  addedRow({
    name: 'first-token',
    title: 'p50 added to the first token',
    unit: 'ms',
    goal: '≤ 1 ms',
    model: models.first,
    streamed: true,
    perSecond: 200,
    share: 0.2,
    pick: ({ firsts }) => median(firsts),
    met: ({ signalbox }) => signalbox <= 1,
  }),
];
