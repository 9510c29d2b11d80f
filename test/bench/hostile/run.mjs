// What requests that are made to hurt do to a gateway: the longest wait of another client, the most
// memory, and how long it took. A fresh process for each row and build.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ask, cores, endProgram, here, messageOf, startProgram } from '../processes.mjs';
import { short, tableOf } from '../table.mjs';
import { signalbox, key } from '../targets.mjs';

const maxStartMs = 60_000;
/** Before a row: what the start has left to do must not count. */
const settleMs = 1_000;
const hasProc = existsSync('/proc/self/status');

/** The settings of a limit that a build knows: an earlier one refuses to start with others. */
function knownLimits(dist, limits = {}) {
  const schema = JSON.parse(
    readFileSync(join(dirname(dist), 'schemas/config.schema.json'), 'utf8'),
  );
  const known = schema.properties.limits.properties;
  return Object.fromEntries(Object.entries(limits).filter(([name]) => name in known));
}

async function answers(port) {
  try {
    return (
      await fetch(`http://127.0.0.1:${port}/v1/models`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).ok;
  } catch {
    return false;
  }
}

async function launch({ dist, name }, attack, { upstreamPort, folder }) {
  const base = `http://127.0.0.1:${upstreamPort}`;
  const provider = (path) => ({ api: 'openai-compatible', baseUrl: `${base}${path}/v1` });
  const target = signalbox(dist, `${name}-${attack.name}`, {
    config: {
      providers: { up: provider(''), long: provider('/long') },
      limits: knownLimits(dist, attack.limits),
    },
    nodeOptions: attack.heapMb ? [`--max-old-space-size=${attack.heapMb}`] : [],
  });
  const running = await target.start({ upstreamPort, folder });
  for (const startedAt = performance.now(); !(await answers(running.port)); await wait(50))
    if (performance.now() - startedAt > maxStartMs) throw new Error(`${name} does not start`);
  return running;
}

const peakMb = ({ pid }) =>
  hasProc
    ? Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024
    : null;
const descriptorsOf = ({ pid }) => (hasProc ? readdirSync(`/proc/${pid}/fd`).length : NaN);
const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

/** The peak while something runs: afterwards the process may be gone. */
async function watchPeak(child, work) {
  let peak = null;
  const look = () => {
    if (!hasEnded(child)) peak = peakMb(child) || peak;
  };
  const timer = setInterval(look, 20);
  try {
    return { result: await work(), peak: () => (look(), peak) };
  } finally {
    clearInterval(timer);
  }
}

async function measure(build, attack, shared) {
  const attacking = attack.prepare();
  const { child, port } = await launch(build, attack, shared);
  await wait(settleMs);
  const gateway = { port, key, descriptors: () => descriptorsOf(child) };
  await ask(shared.probe, { kind: 'begin', port });
  const startedAt = performance.now();
  const { result, peak } = await watchPeak(child, () => attacking(gateway));
  const tookMs = performance.now() - startedAt;
  const { longestMs } = await ask(shared.probe, { kind: 'end' });
  const measured = {
    result: hasEnded(child) ? 'the process ended' : result,
    stallMs: longestMs,
    peakMb: peak(),
    seconds: tookMs / 1_000,
  };
  await endProgram(child);
  return measured;
}

const titles = ['answer', 'stall ms', 'peak MB', 's'];
const cells = ({ result, stallMs, peakMb: peak, seconds }) => [
  result,
  short(stallMs),
  short(peak),
  short(seconds),
];

/** Measures the rows on each build, and prints a table. */
export async function runHostile({ dist, hostile, rounds }, attacks) {
  const builds = [
    ...(hostile.before ? [{ dist: hostile.before, name: 'before' }] : []),
    { dist, name: 'after' },
  ];
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-hostile-'));
  const upstream = startProgram(here('hostile/upstream.mjs'), { core: cores.instruments });
  const probe = startProgram(here('hostile/probe.mjs'), { core: cores.instruments });
  const shared = { folder, probe, upstreamPort: (await messageOf(upstream)).port };
  const lines = [
    ['row', 'what', ...builds.flatMap(({ name }) => titles.map((title) => `${title} (${name})`))],
  ];
  for (const attack of attacks) {
    process.stderr.write(`${attack.name} … `);
    const measured = [];
    for (const build of builds) measured.push(await best(build, attack, shared, rounds));
    lines.push([attack.name, attack.what, ...measured.flatMap(cells)]);
    process.stderr.write(`${measured.map(({ stallMs }) => short(stallMs)).join(' → ')} ms\n`);
  }
  rmSync(folder, { recursive: true, force: true });
  console.log(`\n${tableOf(lines)}\n`);
  console.log(
    `stall: the longest time that another client waited for /healthz, of the best of ${rounds} rounds; peak: resident memory.`,
  );
}

/** The round with the shortest stall: other processes of the machine only make it longer. */
async function best(build, attack, shared, rounds) {
  const all = [];
  for (let round = 0; round < rounds; round++) all.push(await measure(build, attack, shared));
  return all.reduce((one, other) => (other.stallMs < one.stallMs ? other : one));
}
