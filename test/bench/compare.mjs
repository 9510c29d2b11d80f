// Two builds of the gateway beside each other. A pair is one fresh process of each build, because
// two
// processes of one build differ more (by what the compiler made of them) than two slices of one
// process. Within a pair the builds take turns, because the machine's speed drifts.
import { ask, cores, endProgram, here, messageOf, startProgram } from './processes.mjs';
import { candidateCount, selectionBodies } from './selections.mjs';
import { ratioInterval } from './slices.mjs';
import { short, tableOf } from './table.mjs';
import { models, signalbox } from './targets.mjs';

const withLog = {};
const withoutLog = { requestLog: { enabled: false } };
const kilobyte = 1_024;
/** Slices of a row: turned round in each, so that a drift of the speed meets both builds alike. */
const turns = ['before', 'after', 'after', 'before'];
/** Slices of plans are short: so many stand for one of requests. */
const planWarmUps = 4;
/** A ratio is a loss where its whole interval lies above this. */
const toleratedRatio = 1.03;

const ofRequest = (surface, model, streamed) => (target) => [
  target.request(surface, model, streamed),
];
const selections = (target) => selectionBodies(kilobyte, 64).map(target.selection);

/** `share`: requests in a slice, as a part of `--requests`; `units`: what a request is made of. */
const jsonRow = { share: 1.2, unit: 'µs CPU / request', units: 1, ending: '' };
const streamRow = { unit: 'µs CPU / chunk', units: 200, ending: 'data: [DONE]' };

/**
 * The rows of a comparison. Each has a configuration, or `inProcess`: it is measured without HTTP.
 */
export const comparedRows = [
  {
    ...jsonRow,
    name: 'json',
    title: 'JSON, OpenAI surface, a named model, request log on',
    config: withLog,
    requests: ofRequest('openai', models.whole, false),
  },
  {
    ...jsonRow,
    name: 'native-stored',
    title: 'JSON, native surface, the turn stored',
    config: withLog,
    share: 0.4,
    requests: ofRequest('native', models.answer, false),
  },
  {
    ...streamRow,
    name: 'sse-bursts',
    title: 'SSE in bursts of 10, OpenAI surface',
    config: withLog,
    share: 0.35,
    requests: ofRequest('openai', models.bursts, true),
  },
  {
    ...streamRow,
    name: 'sse-singles',
    title: 'SSE one chunk a write, OpenAI surface',
    config: withLog,
    share: 0.13,
    requests: ofRequest('openai', models.singles, true),
  },
  {
    ...jsonRow,
    name: 'select-http',
    title: `model-select, ${candidateCount} candidates, 1 KB, over HTTP, the decision stored`,
    config: withLog,
    share: 0.5,
    requests: selections,
  },
  {
    ...jsonRow,
    name: 'json-no-log',
    title: 'JSON, OpenAI surface, a named model, request log off',
    config: withoutLog,
    requests: ofRequest('openai', models.whole, false),
  },
  {
    name: 'plan',
    title: `a plan of ${candidateCount} candidates, 1 KB, in the process`,
    unit: 'µs CPU / call',
    inProcess: true,
  },
];

const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => sum(values) / values.length;

/** Measures the rows of one configuration on one fresh process of each build. */
async function measureConfig(bench, pair, config, rows) {
  const { before, dist, requests, warmUps } = bench.options;
  const log = config === withLog ? 'log' : 'no-log';
  const running = {
    before: await bench.launch(signalbox(before, `before-${log}-${pair}`, { config })),
    after: await bench.launch(signalbox(dist, `after-${log}-${pair}`, { config })),
  };
  const costs = {};
  for (const row of rows) {
    const count = Math.max(2, Math.round(requests * row.share));
    await bench.answering((target) => row.requests(target)[0], row.ending, running);
    for (let round = 0; round < warmUps; round++)
      for (const each of Object.values(running)) await bench.load(each, row.requests, count);
    costs[row.name] = { before: [], after: [] };
    for (const build of turns) {
      const cpuUs = await bench.cpuOf(running[build], row.requests, count);
      costs[row.name][build].push(cpuUs / count / row.units);
    }
  }
  for (const each of Object.values(running)) await bench.end(each);
  return costs;
}

/** Plans in a fresh process of each build, in turns of a few batches. */
async function measurePlans(bench) {
  const { before, dist, requests, warmUps } = bench.options;
  const builds = { before, after: dist };
  const children = {};
  for (const [build, folder] of Object.entries(builds)) {
    children[build] = startProgram(here('plan-cost.mjs'), {
      core: cores.measured,
      env: { DIST: folder },
    });
    await messageOf(children[build]);
  }
  const batches = Math.max(1, Math.round(requests / 125));
  const plan = (build, rounds) =>
    ask(children[build], { characters: kilobyte, batches: rounds, warmUps: 0 });
  // in turns too: what a process compiles goes on after its first batches
  for (let round = 0; round < warmUps * planWarmUps; round++)
    for (const build of Object.keys(builds)) await plan(build, batches);
  const costs = { before: [], after: [] };
  for (const build of turns) costs[build].push(mean(await plan(build, batches)));
  for (const child of Object.values(children)) await endProgram(child);
  return { plan: costs };
}

async function measurePair(bench, pair, rows) {
  const costs = {};
  for (const config of [withLog, withoutLog]) {
    const selected = rows.filter((row) => row.config === config);
    if (selected.length > 0)
      Object.assign(costs, await measureConfig(bench, pair, config, selected));
  }
  if (rows.some(({ inProcess }) => inProcess)) Object.assign(costs, await measurePlans(bench));
  return Object.fromEntries(
    Object.entries(costs).map(([name, { before, after }]) => [
      name,
      { before: mean(before), after: mean(after), ratio: sum(after) / sum(before) },
    ]),
  );
}

function lineOf(row, pairs) {
  const of = (figure) => pairs.map((pair) => pair[row.name][figure]);
  const { ratio, low, high } = ratioInterval(of('ratio'));
  return [
    row.name,
    row.title,
    row.unit,
    short(mean(of('before'))),
    short(mean(of('after'))),
    ratio.toFixed(3),
    Number.isNaN(low) ? '–' : `${low.toFixed(3)} to ${high.toFixed(3)}`,
    low > toleratedRatio ? 'SLOWER' : high < 1 ? 'faster' : '–',
  ];
}

/**
 * Measures as many pairs as the options ask for and prints a table of the ratios after / before.
 */
export async function compareBuilds(bench, rows) {
  const pairs = [];
  for (let pair = 1; pair <= bench.options.pairs; pair++) {
    const startedAt = performance.now();
    pairs.push(await measurePair(bench, pair, rows));
    const ratios = rows.map(({ name }) => `${name} ${pairs.at(-1)[name].ratio.toFixed(3)}`);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    process.stderr.write(
      `pair ${pair} of ${bench.options.pairs}, ${seconds} s: ${ratios.join(', ')}\n`,
    );
  }
  const head = [
    'row',
    'what',
    'unit',
    'before',
    'after',
    'after / before',
    '95 % interval',
    'verdict',
  ];
  console.log(`\n${tableOf([head, ...rows.map((row) => lineOf(row, pairs))])}\n`);
  console.log(
    `CPU of all threads, what is written behind included; ${bench.connections} requests in flight. Geometric mean of ${pairs.length} pairs of processes; SLOWER: the whole interval lies above ${toleratedRatio}.`,
  );
}
