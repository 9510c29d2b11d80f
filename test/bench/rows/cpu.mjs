import { interleave, medians, ratioOf } from '../slices.mjs';
import { bare, models, signalbox } from '../targets.mjs';

/** A slow target is measured with this many times fewer requests. */
const slowShare = { portkey: 8 };

/** Surfaces whose streams end as the bare pipe's does. */
const endsAlike = new Set(['openai', 'native']);

/**
 * CPU time for each unit (a request, a chunk) of a closed loop. `share`: how many requests a slice
 * has, as a part of the JSON row's. `config`: settings of a gateway of its own.
 */
function cpuRow({
  name,
  title,
  unit,
  surface,
  model,
  streamed,
  units = 1,
  share = 1,
  goal,
  portkeyGoal = null,
  config = null,
}) {
  return {
    name,
    title,
    unit,
    goal: [`≤ ${goal}× bare`, portkeyGoal ? `≤ portkey / ${portkeyGoal}` : null]
      .filter(Boolean)
      .join(', '),
    async run(bench) {
      const { slices, requests } = bench.options;
      const request = (target) => target.request(surface, model, streamed);
      const gateway = config
        ? signalbox(bench.options.dist, name, { config })
        : { name: 'signalbox' };
      const running = await bench.sharedAnswering(
        request,
        streamed && endsAlike.has(surface) ? 'data: [DONE]' : '',
        config ? [bare, gateway] : bench.targets,
      );
      const measured = await interleave(
        running,
        { slices, warmUps: Math.ceil(slices * 0.7) },
        async (each, isWarmUp) => {
          const slowness = slowShare[each.target.name] ?? 1;
          const count = Math.max(2, Math.round((requests * share) / slowness));
          const asked = (target) => [request(target)];
          if (isWarmUp) return bench.load(each, asked, count);
          return (await bench.cpuOf(each, asked, count)) / count / units;
        },
      );
      const ratio = ratioOf(measured, gateway.name, 'bare');
      const cheap =
        !portkeyGoal ||
        !measured.portkey ||
        ratioOf(measured, 'portkey', 'signalbox') >= portkeyGoal;
      const values = medians(measured);
      return {
        values: { ...values, signalbox: values[gateway.name] },
        ratio,
        met: ratio <= goal && cheap,
      };
    },
  };
}

const json = { unit: 'µs CPU / request', model: models.whole, streamed: false };
const stream = { unit: 'µs CPU / chunk', streamed: true, units: 200 };
const bursts = { ...stream, model: models.bursts, share: 0.1, goal: 1.25 };
const singles = { ...stream, model: models.singles, share: 0.04, goal: 1.1 };
/** Names of rows: those without `-bare` compare dialects with chat. */
const suffixes = {
  openai: '',
  native: '-native',
  messages: '-messages-bare',
  responses: '-responses-bare',
};
const names = { openai: 'OpenAI', native: 'native', messages: 'Messages', responses: 'Responses' };

/** What a request and a chunk cost. */
export const cpuRows = [
  cpuRow({
    ...json,
    name: 'json',
    title: 'JSON, OpenAI surface',
    surface: 'openai',
    goal: 2.8,
    portkeyGoal: 12,
  }),
  cpuRow({
    ...json,
    name: 'json-unlogged',
    title: 'JSON, OpenAI surface, request log off',
    surface: 'openai',
    config: { requestLog: { enabled: false } },
    goal: 2.2,
  }),
  ...['messages', 'responses'].map((surface) =>
    cpuRow({
      ...json,
      name: `json-${surface}-bare`,
      title: `JSON, ${names[surface]}`,
      surface,
      goal: 3,
    }),
  ),
  cpuRow({
    ...json,
    name: 'json-auto',
    title: 'JSON, `auto` among ten models',
    surface: 'auto',
    goal: 5,
  }),
  cpuRow({
    ...json,
    name: 'json-embeddings',
    title: 'embeddings, one vector of 1,536 numbers',
    surface: 'embeddings',
    model: models.vector,
    goal: 5,
  }),
  cpuRow({
    ...json,
    name: 'json-native',
    title: 'JSON, native surface (the pipe streams)',
    surface: 'native',
    model: models.answer,
    share: 0.25,
    goal: 1.6,
  }),
  ...Object.keys(names).flatMap((surface) => [
    cpuRow({
      ...bursts,
      name: `sse-bursts${suffixes[surface]}`,
      title: `SSE in bursts of 10, ${names[surface]} surface`,
      surface,
      portkeyGoal: surface === 'openai' ? 4 : null,
    }),
    cpuRow({
      ...singles,
      name: `sse-singles${suffixes[surface]}`,
      title: `SSE one chunk a write, ${names[surface]} surface`,
      surface,
    }),
  ]),
];
