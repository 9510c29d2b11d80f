import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { guardFolder } from './guarded.js';
import { type ServerProcess, startServer } from './server-process.js';

/** A Redis of one's own, ended with this process at the latest. A restart empties it. */
export interface RunningRedis extends ServerProcess {
  /** `redis://127.0.0.1:<port>` */
  url: string;
}

/** Starts a Redis, whose program is at this path, on a free port. @param more arguments */
export async function startOwnRedis(
  program: string,
  more: readonly string[] = [],
): Promise<RunningRedis> {
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
        ...more,
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
