import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import type { Config, Listener, SurfaceName } from '../../config/config.js';
import type { Gateway } from '../../gateway.js';
import { drainable } from '../../http/drain.js';
import { createHttpServer } from '../../http/server.js';

/** Connections that may wait to be accepted: Node's 511 drops some where thousands come at once. */
const backlog = 4096;

/** The servers of a gateway that listens. */
export interface Listening {
  /** Where everything is; the port is the system's choice where the configuration says 0. */
  readonly common: Listener;
  /** Where a surface is alone. */
  readonly surfaces: Partial<Record<SurfaceName, Listener>>;
  /** Takes no new connections; requests in flight have `drainMs` to finish. */
  stop(drainMs: number): Promise<void>;
}

/**
 * Listens for the whole gateway, and for each surface that the configuration gives a listener of its own.
 * @throws Error that names the setting, where one of the addresses cannot be listened on; none is then
 */
export async function listen(gateway: Gateway, config: Config): Promise<Listening> {
  const stops: ((drainMs: number) => Promise<void>)[] = [];
  const stop = async (drainMs: number): Promise<void> => {
    await Promise.all(stops.map((stopOne) => stopOne(drainMs)));
  };
  const open = async (
    setting: string,
    listener: Listener,
    surface?: SurfaceName,
  ): Promise<Listener> => {
    const server = createHttpServer(gateway.app(surface), config.limits);
    const stopOne = drainable(server);
    const port = await listenOn(server, setting, listener);
    stops.push(stopOne);
    return { host: listener.host, port };
  };
  try {
    const common = await open('listen', config.listen);
    const surfaces: Listening['surfaces'] = {};
    for (const [name, listener] of Object.entries(config.surfaces))
      surfaces[name as SurfaceName] = await open(
        `surfaces[${name}]`,
        listener,
        name as SurfaceName,
      );
    return { common, surfaces, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

function listenOn(server: Server, setting: string, { host, port }: Listener): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(`cannot listen on ${host}:${port} (${setting}): ${reasonOf(error, setting)}`, {
          cause: error,
        }),
      ),
    );
    server.listen({ port, host, backlog }, () => resolve((server.address() as AddressInfo).port));
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException, setting: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `the port is taken; ${setting === 'listen' ? 'PORT or ' : ''}${setting}[port] chooses another`;
    case 'EACCES':
      return 'permission denied; ports below 1024 usually need more rights than others';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is not known';
    default:
      return message;
  }
}
