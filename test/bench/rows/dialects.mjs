import { interleave, medians, ratioOf } from '../slices.mjs';
import { models } from '../targets.mjs';

/**
 * What a dialect costs that a provider shares with the client, beside OpenAI's chat: CPU time for
 * each unit, both on the same process, in turns.
 */
function dialectRow(surface, ending, { name, title, model, unit, units = 1, share = 1 }) {
  const streamed = units > 1;
  return {
    name: `${name}-${surface}`,
    title: `${title}, ${surface} beside chat`,
    unit: `µs CPU / ${unit}`,
    goal: '≤ 1.1× chat',
    async run(bench) {
      const { slices, requests } = bench.options;
      const gateway = bench.targets.find(({ name: target }) => target === 'signalbox');
      const [chat] = await bench.sharedAnswering(
        (target) => target.request('openai', model, streamed),
        streamed ? 'data: [DONE]' : '}',
        [gateway],
      );
      await bench.sharedAnswering((target) => target.request(surface, model, streamed), ending, [
        gateway,
      ]);
      const request = { chat: 'openai', [surface]: surface };
      const running = Object.keys(request).map((each) => ({ ...chat, target: { name: each } }));
      const count = Math.max(2, Math.round(requests * share));
      const measured = await interleave(
        running,
        { slices, warmUps: Math.ceil(slices * 0.7) },
        async (each) => {
          const asked = ({ name: target }) => [gateway.request(request[target], model, streamed)];
          return (await bench.cpuOf(each, asked, count)) / count / units;
        },
      );
      const ratio = ratioOf(measured, surface, 'chat');
      const { [surface]: signalbox, chat: bare } = medians(measured);
      return { values: { signalbox, bare }, ratio, met: ratio <= 1.1 };
    },
  };
}

const shapes = [
  { name: 'json', title: 'JSON', model: models.whole, unit: 'request' },
  {
    name: 'sse-bursts',
    title: 'SSE in bursts of 10',
    model: models.bursts,
    unit: 'chunk',
    units: 200,
    share: 0.1,
  },
  {
    name: 'sse-singles',
    title: 'SSE one chunk a write',
    model: models.singles,
    unit: 'chunk',
    units: 200,
    share: 0.04,
  },
];

/** Messages and Responses to a provider of the same dialect; the column `bare` is chat. */
export const dialectRows = shapes.flatMap((shape) =>
  ['messages', 'responses'].map((surface) => dialectRow(surface, '}', shape)),
);
