import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import type { Config, Listener, ListenerSurface } from '../../config/config.js';
import type { StandaloneGateway } from '../../gateway.js';
import { type Drain, drainable } from '../../http/connections/drain.js';
import { createHttpServer } from '../../http/connections/server.js';

/** Connections that may wait: by Node's 511 some are refused when thousands arrive at once. */
const backlog = 4096;

/** The running servers of a gateway. */
export interface Listening {
  /** The listener of all surfaces, with the actual port if the configuration says 0. */
  readonly common: Listener;
  readonly surfaces: Partial<Record<ListenerSurface, Listener>>;
  /** From now on each answer closes its connection. */
  announceStop(): void;
  /** Accepts no new connections; requests in flight get `drainMs` before `cut` is to end them. */
  stop(drainMs: number, cut: () => void): Promise<void>;
}

/**
 * Starts the common listener, and one for each surface that has its own in the configuration.
 * @throws Error that names the setting if an address cannot be used; all listeners are then closed
 */
export async function listen(gateway: StandaloneGateway, config: Config): Promise<Listening> {
  const drains: Drain[] = [];
  const stop: Listening['stop'] = async (drainMs, cut) => {
    await Promise.all(drains.map((drain) => drain.stop(drainMs, cut)));
  };
  const announceStop = (): void => {
    for (const drain of drains) drain.announce();
  };
  const open = async (
    setting: string,
    listener: Listener,
    surface?: ListenerSurface,
  ): Promise<Listener> => {
    const server = createHttpServer(gateway.app(surface), config.limits, gateway.sheds);
    const drain = drainable(server);
    const port = await listenOn(server, setting, listener);
    drains.push(drain);
    return { host: listener.host, port };
  };
  try {
    const common = await open('listen', config.listen);
    const surfaces: Listening['surfaces'] = {};
    for (const [name, listener] of Object.entries(config.surfaces))
      surfaces[name as ListenerSurface] = await open(
        `surfaces.${name}`,
        listener,
        name as ListenerSurface,
      );
    return { common, surfaces, announceStop, stop };
  } catch (error) {
    await stop(0, () => undefined);
    throw error;
  }
}

const listenOn = (server: Server, setting: string, { host, port }: Listener): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(`cannot listen on ${host}:${port} (${setting}): ${reasonOf(error, setting)}`, {
          cause: error,
        }),
      ),
    );
    server.listen({ port, host, backlog }, () => resolve((server.address() as AddressInfo).port));
  });

function reasonOf({ code, message }: NodeJS.ErrnoException, setting: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `the port is already in use; set ${setting === 'listen' ? 'PORT or ' : ''}${setting}.port to another`;
    case 'EACCES':
      return 'permission denied; ports below 1024 usually need extra privileges';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is not known';
    default:
      return message;
  }
}
