import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawSamples } from './draw-samples.js';
import type { Growth, Sample } from './growth.js';
import { runSoak } from './run-soak.js';

const usage = `Runs a gateway under a mixed load (answers, streams, clients that leave, failures, searches) and fits lines
to its memory and handles after the first third. Exits with 1 if one of them grows.

  npm run soak -- [--minutes 60] [--rate 30] [--seed 1] [--before 25000] [--out FOLDER]

  --rate    requests a second
  --before  quick requests before the first sample: the gateway remembers 20,000 conversations
  --out     writes soak.csv and soak.svg there
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    before: { type: 'string', default: '25000' },
    out: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const row = ({ measure, mean, anHour, isFlat }: Growth): string =>
  `${measure.padEnd(10)} mean ${mean.toFixed(1).padStart(8)}  in an hour ${anHour.toFixed(1).padStart(8)}  ${isFlat ? 'flat' : 'GROWS'}`;

const csvOf = (samples: readonly Sample[]): string =>
  [
    Object.keys(samples[0] ?? {}).join(','),
    ...samples.map((sample) =>
      Object.values(sample)
        .map((value: number) => value.toFixed(2))
        .join(','),
    ),
  ].join('\n') + '\n';

if (values.help) {
  console.log(usage);
} else {
  const { out, minutes, rate, seed } = values;
  const { samples, growth, counts } = await runSoak({
    minutes: Number(minutes),
    rate: Number(rate),
    seed: Number(seed),
    before: Number(values.before),
    sampleMs: 10_000,
    onSample: (sample) => {
      if (Math.round(sample.seconds / 10) % 6 === 0) console.error(JSON.stringify(sample));
    },
  });
  if (out !== undefined) {
    writeFileSync(join(out, 'soak.csv'), csvOf(samples));
    writeFileSync(join(out, 'soak.svg'), drawSamples(samples));
  }
  console.log(`${minutes} minutes, ${rate} requests a second: ${JSON.stringify(counts)}`);
  for (const each of growth) console.log(row(each));
  process.exitCode = growth.every(({ isFlat }) => isFlat) ? 0 : 1;
}
