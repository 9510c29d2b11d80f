import { ask, cores, endProgram, here, messageOf, startProgram } from '../processes.mjs';
import { candidateCount, selectionBodies } from '../selections.mjs';
import { interleave, median, medians } from '../slices.mjs';

const builds = { signalbox: true, against: true };

/** Over HTTP: the whole request with key, validation, log line and stored decision. */
async function overHttp(bench, characters) {
  const { slices, requests } = bench.options;
  const targets = bench.targets.filter(({ name }) => builds[name]);
  const bodies = selectionBodies(characters, 16);
  const count = Math.max(2, Math.round(requests / 4));
  const measured = await interleave(
    await bench.running(targets),
    { slices, warmUps: Math.ceil(slices * 0.7) },
    async (running, isWarmUp) => {
      const asked = (target) => bodies.map(target.selection);
      if (isWarmUp) return bench.load(running, asked, count);
      return (await bench.cpuOf(running, asked, count)) / count;
    },
  );
  return medians(measured);
}

/** In the process: the plan alone, without HTTP. */
async function inProcess(bench, characters) {
  const { slices, requests, dist, against } = bench.options;
  const values = {};
  for (const [name, build] of Object.entries({
    signalbox: dist,
    ...(against ? { against } : {}),
  })) {
    const child = startProgram(here('plan-cost.mjs'), {
      core: cores.measured,
      env: { DIST: build },
    });
    await messageOf(child);
    values[name] = median(
      await ask(child, { characters, batches: slices, warmUps: Math.ceil(requests / 16) }),
    );
    await endProgram(child);
  }
  return values;
}

function selectRow(name, title, characters, limitUs, measure) {
  return {
    name,
    unit: 'µs CPU / call',
    goal: `≤ ${limitUs} µs`,
    title: `model-select, ${candidateCount} candidates, ${characters / 1024} KB, ${title}`,
    async run(bench) {
      const values = await measure(bench, characters);
      return { values, ratio: null, met: values.signalbox <= limitUs };
    },
  };
}

/** What a choice costs. */
export const modelSelectRows = [
  selectRow('select-1k', 'over HTTP', 1_024, 240, overHttp),
  selectRow('select-1k-plan', 'the plan alone', 1_024, 150, inProcess),
  selectRow('select-32k', 'over HTTP', 32_768, 1_000, overHttp),
  selectRow('select-32k-plan', 'the plan alone', 32_768, 1_000, inProcess),
];
