import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { guardFolder } from './guarded.js';
import { provision } from './provisions.js';
import { type ServerProcess, startServer } from './server-process.js';

/** A Redis for one test file, ended with the worker at the latest. A restart empties it. */
export interface RunningRedis extends ServerProcess {
  /** `redis://127.0.0.1:<port>` */
  url: string;
}

const program = await provision('redis');

/**
 * Whether Redis is installed, for `describe.skipIf(!redisIsThere)`. Importing this file fails where
 * Redis is required and missing.
 */
export const redisIsThere = program !== '';

/** Starts a Redis on a free port of 127.0.0.1; null if none is installed. */
export async function startRedis(): Promise<RunningRedis | null> {
  if (!redisIsThere) return null;
  const folder = guardFolder(tmpdir(), 'redis', 'KILL');
  const server = await startServer(
    {
      program,
      signal: 'KILL',
      answers,
      args: (port) => [
        '--bind',
        '127.0.0.1',
        '--port',
        String(port),
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        folder.path,
      ],
    },
    folder,
  );
  return Object.assign(server, { url: `redis://127.0.0.1:${server.port}` });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 });
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket
      .once('connect', () => socket.write('PING\r\n'))
      .once('data', (reply) => settle(reply.toString().startsWith('+PONG')));
    socket
      .once('error', () => settle(false))
      .once('end', () => settle(false))
      .once('timeout', () => settle(false));
  });
}
