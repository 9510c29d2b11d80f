// What the gateway costs, as ratios within one run: times by themselves say more about the machine
// than about the gateway. `npm run bench -- --help` shows the options.
import { cpus } from 'node:os';
import { Bench } from './bench.mjs';
import { compareBuilds, comparedRows } from './compare.mjs';
import { runCache } from './cache/run.mjs';
import { runDashboard } from './dashboard/run.mjs';
import { attacks } from './hostile/attacks.mjs';
import { runGrounding } from './grounding/run.mjs';
import { runHostile } from './hostile/run.mjs';
import { runOverload } from './overload/run.mjs';
import { chosenRows, readOptions } from './options.mjs';
import { canPin, endAll } from './processes.mjs';
import { cpuRows } from './rows/cpu.mjs';
import { dialectRows } from './rows/dialects.mjs';
import { heldRows } from './rows/held.mjs';
import { latencyRows } from './rows/latency.mjs';
import { modelSelectRows } from './rows/model-select.mjs';
import { rememberingRows } from './rows/remembering.mjs';
import { startRows } from './rows/start.mjs';
import { unreadRows } from './rows/unread.mjs';
import { whatIfRows } from './rows/what-if.mjs';
import { cellsOf, headings, tableOf } from './table.mjs';
import { runWorkers } from './workers/run.mjs';

const rows = [
  ...cpuRows,
  ...dialectRows,
  ...latencyRows,
  ...heldRows,
  ...unreadRows,
  ...startRows,
  ...modelSelectRows,
  ...whatIfRows,
  ...rememberingRows,
];

const messageIn = (error) => (error instanceof Error ? error.message : String(error));

async function measureAll(bench, selected) {
  const measured = [];
  for (const row of selected) {
    process.stderr.write(`${row.name} … `);
    const startedAt = performance.now();
    const title = typeof row.title === 'function' ? row.title(bench.options) : row.title;
    try {
      measured.push({ row, title, ...(await row.run(bench)) });
      process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
    } catch (error) {
      // the others have taken half an hour
      process.stderr.write(`${messageIn(error)}\n`);
      process.exitCode = 1;
    }
  }
  return measured;
}

function printMachine() {
  const processors = cpus();
  console.log(
    `Node ${process.version}, ${processors.length} cores (${processors[0]?.model.trim() ?? 'unknown'})${canPin ? ', pinned' : ', not pinned'}, ${new Date().toISOString().slice(0, 16)}Z`,
  );
}

async function printRatios(bench, selected) {
  const measured = await measureAll(bench, selected);
  console.log(
    `\n${tableOf([headings(bench.others), ...measured.map((each) => cellsOf(each, bench.others))])}\n`,
  );
  console.log(
    `bare: Node's http with undici's dispatch. Medians of ${bench.options.slices} interleaved slices; the ratio is the median of the slices' own.`,
  );
  console.log(
    bench.portkey
      ? `portkey: @portkey-ai/gateway ${bench.portkey.version}.`
      : 'portkey: not installed (PORTKEY_DIR may say where it is).',
  );
}

async function main() {
  const options = readOptions();
  if (options.grounding) {
    printMachine();
    await runGrounding(options);
    return;
  }
  if (options.overload) {
    printMachine();
    await runOverload(options);
    return;
  }
  if (options.cache) {
    printMachine();
    await runCache(options);
    return;
  }
  if (options.workers) {
    printMachine();
    await runWorkers(options);
    return;
  }
  if (options.dashboard) {
    printMachine();
    await runDashboard(options);
    return;
  }
  if (options.hostile) {
    printMachine();
    await runHostile(options, chosenRows(attacks, options.rows));
    await endAll();
    return;
  }
  const selected = chosenRows(options.before ? comparedRows : rows, options.rows);
  printMachine();
  const bench = await Bench.start(options);
  if (options.before) await compareBuilds(bench, selected);
  else await printRatios(bench, selected);
  await bench.stop();
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${messageIn(error)}\n`);
  process.exitCode = 1;
  await endAll();
}
