import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { issueClaimCode } from '../../src/accounts/claim.js';
import { type Config, resolveConfig, type WrittenConfig } from '../../src/config/config.js';
import { assembleGateway, type StandaloneGateway as Gateway, rules } from '../../src/gateway.js';
import type { GatewayOptions } from '../../src/gateway-options.js';
import { createHttpServer } from '../../src/http/connections/server.js';
import type { LazyDatabases } from '../../src/store/lazy-databases.js';
import { configuredDatabases } from '../../src/store/open-databases.js';
import { memoryDatabases } from './memory-databases.js';

export interface RunningGateway {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** A key that it accepts. */
  key: string;
  /** `{ authorization: 'Bearer <key>' }` */
  auth: { authorization: string };
  gateway: Gateway;
  server: Server;
  /** A new code with which a person claims it. */
  claimCode(): Promise<string>;
  /** Cuts all connections and stops. */
  close(): Promise<void>;
}

/** The key of a gateway whose configuration has no keys. */
export const testKey = 'sk_test_0123456789abcdef';

/**
 * Starts a gateway in this process, assembled as the standalone process does, on a free port. It
 * reads no environment variables, and logs only to a given logger. People may sign up, without
 * limits, unless the configuration says otherwise.
 */
export async function startGateway(
  config: WrittenConfig = {},
  options: GatewayOptions = {},
): Promise<RunningGateway> {
  const keys = config.auth?.keys ?? [{ name: 'test', key: testKey }];
  const auth = { signUp: 'open', signUpLimits: {}, ...config.auth, keys } as const;
  // the tests share the event loop, and hold it
  const limits = { maxLoopDelayMs: 0, ...config.limits };
  const resolved = resolveConfig({ ...config, auth, limits }, {}, rules);
  const logger = options.logger ?? pino({ level: 'silent' });
  const databases = options.databases ?? databasesOf(resolved, logger);
  const gateway = assembleGateway(resolved, { env: {}, ...options, logger, databases });
  const server = createHttpServer(gateway.app(), resolved.limits, gateway.sheds);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const key = keys[0]?.key ?? testKey;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    key,
    auth: { authorization: `Bearer ${key}` },
    gateway,
    server,
    claimCode: async () => issueClaimCode((await databases.get()).store),
    async close() {
      const stopped = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([stopped, gateway.close()]);
    },
  };
}

function databasesOf(config: Config, log: NonNullable<GatewayOptions['logger']>): LazyDatabases {
  const { database, redis } = config;
  if (database.url !== null && database.url !== ':memory:')
    return configuredDatabases(config, database.url, log);
  return memoryDatabases(redis.url, {
    onWarning: (warning) => log.warn({}, warning),
    onNews: (news) => log.info({}, news),
  });
}

/** A logger that keeps its lines, parsed and as text. */
export function keepingLogger(level = 'trace'): {
  logger: Logger;
  lines: Record<string, unknown>[];
  text: () => string;
} {
  const lines: Record<string, unknown>[] = [];
  const written: string[] = [];
  const logger = pino(
    { level, base: null },
    {
      write(line: string) {
        written.push(line);
        lines.push(JSON.parse(line) as Record<string, unknown>);
      },
    },
  );
  return { logger, lines, text: () => written.join('') };
}
