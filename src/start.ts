import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { firstKey, type FirstKey } from './accounts/first-key.js';
import { type Config, type Listener, loadConfig, watchConfig } from './config.js';
import { detectProviders } from './config/detect-providers.js';
import { type DemoProvider, startDemoProvider } from './demo-provider.js';
import { assembleGateway, type Gateway } from './gateway.js';
import { createHttpServer } from './http/server.js';
import { surfaceApps } from './listeners.js';
import { createLogger } from './log.js';
import { dialects } from './providers/index.js';

/**
 * Starts the gateway as a process of its own: reads the configuration, makes the first key, listens, and stops gracefully on SIGTERM and SIGINT.
 * @throws ConfigError, or Error for an address that cannot be listened on
 */
export async function start(configPath: string | undefined): Promise<void> {
  const knownApis = [...dialects.keys()];
  const config = loadConfig({ knownApis, ...(configPath ? { path: configPath } : {}) });
  const logger = createLogger(config.log);
  const demo = needsDemo(config) ? await startDemoProvider() : null;
  const issued = config.auth.required && config.auth.keys.length === 0 ? firstKey(config.dataDir) : null;
  const gateway = assembleGateway(withDemo(config, demo), { logger, ...(issued ? { issuedKeys: issued.keys } : {}) });
  sayKey(issued);
  const servers = await listenAll(gateway, config);
  sayHello(servers[0]!, config, issued, demo);
  const watch = config.file === null ? null : watchConfig(config.file, process.env, (changed) => reconfigure(gateway, changed, demo, logger), (error) => refuse(gateway, error, logger), { knownApis });
  process.on('SIGHUP', () => watch?.reload());
  stopOnSignal(async () => {
    logger.info('stopping: requests in flight may finish');
    await watch?.close();
    await stop(gateway, servers, config.limits.drainMs);
    await demo?.close();
  });
}

const needsDemo = (config: Config): boolean => detectProviders(config, dialects, process.env).length === 0;

/** A configuration that names no provider has the demo's. */
function withDemo(config: Config, demo: DemoProvider | null): Config {
  if (!demo || !needsDemo(config)) return config;
  const api = { apiKeys: [], headers: {}, allowProxy: true, timeouts: { connectMs: 10_000, firstEventMs: 300_000, idleMs: 120_000 } };
  const providers = Object.fromEntries(Object.entries(demo.config.providers).map(([name, provider]) => [name, { ...api, ...provider, name, timeouts: api.timeouts }]));
  return { ...config, providers, models: { ...demo.config.models, ...config.models } };
}

function reconfigure(gateway: Gateway, changed: Config, demo: DemoProvider | null, logger: Logger): void {
  try {
    gateway.reconfigure(withDemo(changed, demo));
    logger.info({ file: changed.file, providers: Object.keys(changed.providers) }, 'the changed configuration is in force');
  } catch (error) {
    refuse(gateway, error as Error, logger);
  }
}

function refuse(gateway: Gateway, error: Error, logger: Logger): void {
  gateway.refusedConfiguration();
  logger.error(`the changed configuration is refused, the one before stays in force: ${error.message}`);
}

async function listenAll(gateway: Gateway, config: Config): Promise<Server[]> {
  const main = createHttpServer(gateway.app(), config.limits);
  const servers = [await listen(main, config.listen)];
  for (const { app, listener } of surfaceApps(gateway, config.surfaces)) servers.push(await listen(createHttpServer(app, config.limits), listener));
  return servers;
}

function listen(server: Server, { host, port }: Listener): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(`cannot listen on ${host}:${port}: ${error.code === 'EADDRINUSE' ? 'the port is taken; PORT or listen.port chooses another' : error.message}`)));
    server.listen(port, host, () => resolve(server));
  });
}

function sayKey(issued: FirstKey | null): void {
  if (!issued?.made) return;
  process.stdout.write(`\nYour API key, shown this once:\n\n  ${issued.made}\n\n(its hash is kept in ${issued.file}; without that file the next start makes a new key)\n`);
}

function sayHello(server: Server, config: Config, issued: FirstKey | null, demo: DemoProvider | null): void {
  const { port } = server.address() as AddressInfo;
  const host = config.listen.host === '0.0.0.0' || config.listen.host === '::' ? '127.0.0.1' : config.listen.host;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const key = issued?.made ?? '$SIGNALBOX_API_KEY';
  const model = demo ? 'demo/demo-large' : 'auto';
  process.stdout.write(`
Signalbox listens on ${address}${demo ? ' with the demo provider: no provider is configured' : ''}

  curl ${address}/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
    -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'

  metrics ${address}/metrics   API ${address}/docs
\n`);
}

/** Takes no new requests, lets those in flight finish for `drainMs`, then ends them. */
async function stop(gateway: Gateway, servers: readonly Server[], drainMs: number): Promise<void> {
  const drained = Promise.all([gateway.close(), ...servers.map((server) => new Promise((resolve) => server.close(resolve)))]);
  for (const server of servers) server.closeIdleConnections();
  const timer = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, drainMs);
  await drained;
  clearTimeout(timer);
}

function stopOnSignal(stopAll: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (): void => {
    // a second signal does not wait
    if (stopping) process.exit(1);
    stopping = true;
    void stopAll().finally(() => process.exit(0));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
