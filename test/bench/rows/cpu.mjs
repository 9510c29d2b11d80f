import { interleave, medians, ratioOf } from '../slices.mjs';
import { models } from '../targets.mjs';

/** A slow target is measured with this many times fewer requests. */
const slowShare = { portkey: 8 };

/**
 * CPU time for each unit (a request, a chunk) of a closed loop. `share`: how many requests a slice
 * has, as a part of the JSON row's.
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
      const running = await bench.sharedAnswering(request, streamed ? 'data: [DONE]' : '');
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
      const ratio = ratioOf(measured, 'signalbox', 'bare');
      const cheap =
        !portkeyGoal ||
        !measured.portkey ||
        ratioOf(measured, 'portkey', 'signalbox') >= portkeyGoal;
      return { values: medians(measured), ratio, met: ratio <= goal && cheap };
    },
  };
}

const json = { unit: 'µs CPU / request', goal: 2 };
const stream = { unit: 'µs CPU / chunk', streamed: true, units: 200, goal: 1.4 };
const bursts = { ...stream, model: models.bursts, share: 0.1 };
const singles = { ...stream, model: models.singles, share: 0.04 };

/** What a request and a chunk cost. */
export const cpuRows = [
  cpuRow({
    ...json,
    name: 'json',
    title: 'JSON, OpenAI surface',
    surface: 'openai',
    model: models.whole,
    streamed: false,
    portkeyGoal: 12,
  }),
  cpuRow({
    ...json,
    name: 'json-native',
    title: 'JSON, native surface (the pipe streams)',
    surface: 'native',
    model: models.answer,
    streamed: false,
    share: 0.25,
  }),
  cpuRow({
    ...bursts,
    name: 'sse-bursts',
    title: 'SSE in bursts of 10, OpenAI surface',
    surface: 'openai',
    portkeyGoal: 4,
  }),
  cpuRow({
    ...bursts,
    name: 'sse-bursts-native',
    title: 'SSE in bursts of 10, native surface',
    surface: 'native',
  }),
  cpuRow({
    ...singles,
    name: 'sse-singles',
    title: 'SSE one chunk a write, OpenAI surface',
    surface: 'openai',
  }),
  cpuRow({
    ...singles,
    name: 'sse-singles-native',
    title: 'SSE one chunk a write, native surface',
    surface: 'native',
  }),
];
