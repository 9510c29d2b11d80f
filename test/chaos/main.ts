import { parseArgs } from 'node:util';
import type { WrittenConfig } from '../../src/config/config.js';
import { printReport } from './print-report.js';
import { runChaos } from './run.js';
import { replicatedWorld, singleWorld } from './worlds.js';

const usage = `Sends requests through gateways whose providers fail in every way, and checks that nothing is lost,
doubled, mixed, cut in silence or overspent. Exits with 1 if a promise was broken.

  npm run chaos -- [--requests 100000] [--seed 1] [--clients 48] [--calm 800] [--settings JSON] [--workers 1] [--minutes 60] [--single]

  --seed    the same seed gives the same requests, answers and faults
  --calm    requests between two disturbances: a replica is killed or restarted, Redis or the database pauses
  --settings  JSON of settings to add, such as {"limits":{"onBrokenStream":"continue","resumeMs":10000}}
  --workers   processes of each replica
  --minutes   how long requests are sent at most, if they are not all sent before
  --single  one gateway on an embedded database, in this process; nothing is killed
`;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '48' },
    calm: { type: 'string', default: '800' },
    settings: { type: 'string', default: '{}' },
    workers: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
    single: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(usage);
} else {
  const report = await runChaos({
    requests: Number(values.requests),
    seed: Number(values.seed),
    clients: Number(values.clients),
    calm: Number(values.calm),
    settings: JSON.parse(values.settings) as WrittenConfig,
    workers: Number(values.workers),
    minutes: Number(values.minutes),
    world: values.single ? singleWorld : replicatedWorld,
    onProgress: (line) => console.error(line),
  });
  console.log(printReport(report));
  process.exitCode = report.violations.length > 0 ? 1 : 0;
}
