import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `npm run bench -- [options]

  --quick            fewer slices: under a minute instead of under six
  --row=NAME         one row only; may be repeated. Names stand in the table
  --slices=N         measured slices for each row
  --requests=N       requests in a slice of the JSON rows; the other rows follow in proportion
  --streams=N        how many streams the held row holds (1000)
  --dist=FOLDER      the build to measure (dist)
  --against=FOLDER   another build beside it, in the same slices
`;

const fullRun = { slices: 21, starts: 5, requests: 800, holdMs: 6_000, streams: 1_000 };
const quickRun = { slices: 5, starts: 2, requests: 400, holdMs: 2_000, streams: 300 };

const flags = {
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  row: { type: 'string', multiple: true, default: [] },
  slices: { type: 'string' },
  requests: { type: 'string' },
  streams: { type: 'string' },
  dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
  against: { type: 'string' },
};

/**
 * The run that the command line asks for; `requests` and `streams` say how much, `slices` and `starts` how often.
 * @throws Error with the usage
 */
export function readOptions(args = process.argv.slice(2)) {
  const { values } = parseArgs({ args, options: flags });
  if (values.help) throw new Error(usage);
  const { slices, requests, streams, holdMs, starts } = values.quick ? quickRun : fullRun;
  const chosen = {
    slices: whole('slices', values.slices, slices),
    requests: whole('requests', values.requests, requests),
    streams: whole('streams', values.streams, streams),
  };
  return {
    ...chosen,
    starts: Math.min(starts, chosen.slices),
    holdMs: Math.min(holdMs, chosen.requests * 20),
    rows: values.row,
    dist: values.dist,
    against: values.against ?? null,
  };
}

function whole(name, text, otherwise) {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(text))
    throw new Error(`--${name} takes a whole number, not ${JSON.stringify(text)}\n\n${usage}`);
  return Number(text);
}
