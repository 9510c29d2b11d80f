import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `npm run bench -- [options]
  Compares the gateway with the least that a proxy on Node can do.

  --quick            fewer slices: some three minutes instead of twenty
  --row=NAME         one row only; may be repeated. The table shows the names
  --slices=N         measured slices for each row
  --requests=N       requests in a slice of the JSON rows; the other rows follow in proportion
  --streams=N        how many streams the held rows hold (1000)
  --dist=FOLDER      the build to measure (dist)
  --against=FOLDER   another build beside it, in the same slices

npm run bench -- compare <dist of before> [options]
  Compares two builds of the gateway in pairs of fresh processes, and prints the ratio after / before
  of each row with its 95 % interval. 15 pairs take about 18 minutes.

  --pairs=N          how many pairs of processes (15)
  --warm-ups=N       slices before the first measured one (2). Twenty give processes whose code V8
                     has compiled for good
  --row=NAME, --requests=N, --dist=FOLDER as above; --dist is the build of after

npm run bench -- hostile [<dist of before>] [options]
  What requests that are made to hurt do: the longest wait of another client, the most memory, and
  how long it took. Takes about two minutes for each build and round.

  --rounds=N         how often; the round with the shortest wait counts (3)
  --row=NAME, --dist=FOLDER as above

npm run bench -- grounding [options]
  How well answers are grounded, on a generated corpus: fabricated links that are left, citations
  whose quotes are found, evidence in the packed context, speed. Takes about half a minute.
  EXTRACTION_DATA=<folder> adds how well articles are extracted: \`ground-truth.json\` and
  \`html/<id>.html.gz\`, as in scrapinghub's article-extraction-benchmark.

  --quick            a tenth of it
  --dist=FOLDER      as above

npm run bench -- cache [options]
  The share of an agent's prompts that a provider with several keys reads from its cache, over
  sessions of 50 turns. Takes some seconds.

  --dist=FOLDER      as above

npm run bench -- overload [options]
  The rate of good answers and their times at 80 %, 100 % and three times of what the gateway can do,
  in an open loop, with and without shedding. Takes about four minutes.

  --quick            shedding only, and shorter
  --row=NAME         streams or whole
  --dist=FOLDER      as above

npm run bench -- workers [options]
  What two workers on two cores do beside one process. Takes about two minutes.

  --slices=N, --requests=N, --dist=FOLDER as above

npm run bench -- dashboard [options]
  What the dashboard's lists and charts take over a million requests, and how long its first page
  takes over a slow connection (with Debian's chromium). Takes about five minutes. What the sliders
  take is the row what-if of the first command.

  --quick            50,000 requests
  --dist=FOLDER      as above
  --against=FOLDER   another build: also what storing a request costs in both
`;

const fullRun = { slices: 21, starts: 5, requests: 1_000, holdMs: 6_000, streams: 1_000 };
const quickRun = { slices: 5, starts: 2, requests: 400, holdMs: 2_000, streams: 300 };
const defaultPairs = 15;
const defaultRounds = 3;
const defaultWarmUps = 2;

const flags = {
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  row: { type: 'string', multiple: true, default: [] },
  slices: { type: 'string' },
  requests: { type: 'string' },
  streams: { type: 'string' },
  pairs: { type: 'string' },
  rounds: { type: 'string' },
  'warm-ups': { type: 'string' },
  dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
  against: { type: 'string' },
};

/**
 * Reads the command line. `requests` and `streams` say how much is measured, `slices`, `starts` and
 * `pairs` how often, `warmUps` what is sent before; `before` is the build to compare with, null if
 * none is to be compared; `hostile` is null unless hostile requests are to be measured; `grounding`,
 * `cache`, `overload`, `workers` and `dashboard` say whether those are.
 * @throws Error with the usage
 */
export function readOptions(args = process.argv.slice(2)) {
  const { values, positionals } = parseArgs({ args, options: flags, allowPositionals: true });
  if (values.help) throw new Error(usage);
  const { slices, requests, streams, holdMs, starts } = values.quick ? quickRun : fullRun;
  const chosen = {
    slices: wholeNumber('slices', values.slices, slices),
    requests: wholeNumber('requests', values.requests, requests),
    streams: wholeNumber('streams', values.streams, streams),
    pairs: wholeNumber('pairs', values.pairs, defaultPairs),
    rounds: wholeNumber('rounds', values.rounds, defaultRounds),
    warmUps: wholeNumber('warm-ups', values['warm-ups'], defaultWarmUps),
  };
  return {
    ...chosen,
    quick: values.quick,
    starts: Math.min(starts, chosen.slices),
    holdMs: Math.min(holdMs, chosen.requests * 20),
    rows: values.row,
    dist: resolve(values.dist),
    against: values.against ? resolve(values.against) : null,
    ...commandOf(positionals),
  };
}

function commandOf(positionals) {
  const [command, folder, ...more] = positionals;
  const build = folder === undefined ? null : resolve(folder);
  if (more.length === 0) {
    const none = {
      before: null,
      hostile: null,
      grounding: false,
      cache: false,
      dashboard: false,
      overload: false,
      workers: false,
    };
    if (command === 'workers' && !build) return { ...none, workers: true };
    if (command === 'overload' && !build) return { ...none, overload: true };
    if (command === undefined) return none;
    if (command === 'compare' && build) return { ...none, before: build };
    if (command === 'hostile') return { ...none, hostile: { before: build } };
    if (command === 'grounding' && !build) return { ...none, grounding: true };
    if (command === 'cache' && !build) return { ...none, cache: true };
    if (command === 'dashboard' && !build) return { ...none, dashboard: true };
  }
  throw new Error(`the arguments ${JSON.stringify(positionals)} are unknown\n\n${usage}`);
}

function wholeNumber(name, text, otherwise) {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(text))
    throw new Error(`--${name} takes a whole number, not ${JSON.stringify(text)}\n\n${usage}`);
  return Number(text);
}

/** The rows of those names, all where no name is given. @throws Error that lists the names */
export function chosenRows(rows, names) {
  const unknown = names.find((name) => !rows.some((row) => row.name === name));
  if (unknown !== undefined)
    throw new Error(
      `there is no row ${JSON.stringify(unknown)}; there are ${rows.map(({ name }) => name).join(', ')}`,
    );
  return names.length === 0 ? rows : rows.filter(({ name }) => names.includes(name));
}
