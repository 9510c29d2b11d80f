// The gateway on a filled database, with its first key.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const listens = /listens on (http:\S+) /;
const keyFile = /first API key.* in (\S+): keep/;
const keyLine = /^SIGNALBOX_API_KEY=(\S+)$/m;

/** Starts it in a folder whose `data` has the database. */
export async function startFilled(dist, folder) {
  const child = spawn(process.execPath, [join(dist, 'cli/main.js')], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  const url = await new Promise((ready, failed) => {
    child.once('exit', () => failed(new Error(`the gateway ended:\n${printed}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
      const address = listens.exec(printed)?.[1];
      if (address && keyFile.test(printed)) ready(address);
    });
  });
  const file = resolve(folder, keyFile.exec(printed)[1]);
  const key = keyLine.exec(readFileSync(file, 'utf8'))[1];
  return {
    url,
    key,
    child,
    auth: { authorization: `Bearer ${key}` },
    stop: () =>
      new Promise((stopped) => {
        child.removeAllListeners('exit').once('exit', stopped);
        child.kill('SIGTERM');
      }),
  };
}
