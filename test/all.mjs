/**
 * The long run of `npm run test:all`: the soak, which mostly waits, beside all other tests, so that
 * it holds up none of them for ten minutes. Its output comes in one piece when it has ended, which is
 * before the others, so that theirs closes the run.
 */
import { spawn } from 'node:child_process';

const vitest = (mode, stdio) =>
  spawn('vitest', ['run', '--mode', mode], { stdio: ['inherit', stdio, stdio] });
const ended = (child) =>
  new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));

const soak = vitest('soak', 'pipe');
const said = [];
for (const stream of [soak.stdout, soak.stderr]) stream.on('data', (bytes) => said.push(bytes));
const codes = await Promise.all([
  ended(vitest('all', 'inherit')),
  ended(soak).finally(() => process.stdout.write(Buffer.concat(said))),
]);
if (codes[1] !== 0) console.error('the soak failed: its output is further up');
process.exitCode = codes.find((code) => code !== 0) ?? 0;
