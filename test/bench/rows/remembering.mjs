import { interleave, median } from '../slices.mjs';
import { models, remembering } from '../targets.mjs';

const perSecond = 1_000;

/**
 * What storing something adds to the p50 of a request, in ms, at a thousand requests a second: one
 * gateway with it beside one without it.
 */
function rememberingRow({ name, title, surface, goal, with: some, without }) {
  return {
    name,
    title,
    unit: 'ms',
    goal,
    async run(bench) {
      const { slices, requests, dist } = bench.options;
      const request = (target) => target.request(surface, models.whole, false);
      const count = Math.max(2, Math.round(requests * 0.6));
      const targets = [
        remembering(dist, `${name}-with`, some),
        remembering(dist, `${name}-without`, without),
      ];
      const running = await bench.sharedAnswering(request, '', targets);
      const measured = await interleave(
        running,
        { slices, warmUps: 2 },
        async ({ target, port }) => {
          const { failures, totals } = await bench.tell({
            kind: 'open',
            port,
            requests: [request(target)],
            count,
            perSecond,
          });
          if (failures > 0)
            throw new Error(`${failures} of ${count} requests to ${target.name} failed`);
          return median(totals);
        },
      );
      const [having, lacking] = targets.map((target) => measured[target.name]);
      return {
        values: { signalbox: median(having.map((value, round) => value - lacking[round])) },
        ratio: null,
        met: null,
      };
    },
  };
}

/** What storing keys, requests and turns adds. */
export const rememberingRows = [
  rememberingRow({
    name: 'key-check',
    title: 'p50 added by an issued key, beside a fixed one, at 1,000 requests/s',
    surface: 'openai',
    goal: 'no round trip',
    with: { issued: true },
    without: {},
  }),
  rememberingRow({
    name: 'log-behind',
    title: 'p50 added by the request log, at 1,000 requests/s',
    surface: 'openai',
    goal: 'no round trip',
    with: {},
    without: { config: { requestLog: { enabled: false } } },
  }),
  rememberingRow({
    name: 'append',
    title: 'p50 added by storing the conversation turn, at 1,000 requests/s',
    surface: 'native',
    goal: 'one commit',
    with: {},
    without: { config: { conversations: { store: false } } },
  }),
];
