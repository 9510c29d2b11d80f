import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { WrittenConfig } from '../../src/config/config.js';
import { type Balancer, startBalancer } from '../helpers/balancer.js';
import { startGateway } from '../helpers/gateway.js';
import { obtainProgram } from '../helpers/install-program.js';
import { startOwnPostgres } from '../helpers/own-postgres.js';
import { startOwnRedis } from '../helpers/own-redis.js';
import { endProcesses, type GatewayProcess, newFolder, startProcess } from '../helpers/process.js';
import { keyNames, providers, type KeyName } from './script.js';

/** The gateway of a run, with what can happen to it. */
export interface World {
  /** Where clients send their requests. */
  readonly url: string;
  /** How many processes serve them. */
  readonly processes: number;
  /** Each happens and passes before it resolves, with a complaint or null. */
  readonly disturbances: readonly (readonly [name: string, happen: () => Promise<string | null>])[];
  /** When a replica was killed, as `performance.now()`. Connections may break then. */
  readonly kills: readonly { readonly replica: string; readonly at: number }[];
  close(): Promise<void>;
}

/** What a run configures besides providers and keys. */
export interface WorldOptions {
  /** Of the key `budget`, for a day. */
  readonly budgetUsd: number;
  /** Settings that the run adds or replaces. */
  readonly settings?: WrittenConfig;
  /** Processes of each replica. */
  readonly workers?: number;
}

/** The disturbance in which each process counts budgets for itself. */
export const redisPauses = 'Redis paused';

export const keyOf = (name: KeyName): string => `sk_chaos_${name}_0123456789abcdef`;

/** Short, so that silence costs little; long enough for a provider whose machine is busy. */
const timeouts = { connectMs: 5000, firstEventMs: 3000, idleMs: 3000 };

/** A configuration with the providers, models and keys of the script. */
export function configFor(
  providersUrl: string,
  replica: string,
  { budgetUsd, settings = {} }: WorldOptions,
): WrittenConfig {
  const names = Object.entries(providers);
  const keys = keyNames.map((name) => ({
    name,
    key: keyOf(name),
    // so that the run can read its usage
    scopes: ['completions' as const, 'admin' as const],
    ...(name === 'budget' ? { limits: { dayBudgetUsd: budgetUsd } } : {}),
  }));
  return {
    auth: { keys },
    providers: Object.fromEntries(
      names.map(([name, api]) => {
        const version = name === 'c' ? 'v1beta' : 'v1';
        const baseUrl = `${providersUrl}/${replica}/${name}/${version}`;
        return [name, { api, baseUrl, apiKey: 'k', listModels: false, timeouts }];
      }),
    ),
    models: Object.fromEntries(
      names.map(([name]) => [
        `${name}/m`,
        { inputPrice: 1, outputPrice: 1, maxOutput: 1000, contextLength: 20_000 },
      ]),
    ),
    breaker: { openMs: 500, maxOpenMs: 1000 },
    ...settings,
    limits: { totalTimeoutMs: 60_000, drainDelayMs: 500, ...settings.limits },
  };
}

/** One gateway in this process, on an embedded database. Nothing happens to it. */
export async function singleWorld(providersUrl: string, options: WorldOptions): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-chaos-'));
  const gateway = await startGateway({
    ...configFor(providersUrl, 'one', options),
    database: { url: `file:${join(folder, 'signalbox.db')}` },
  });
  return {
    url: gateway.url,
    processes: 1,
    disturbances: [],
    kills: [],
    async close() {
      await gateway.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Two gateway processes behind a load balancer, over PostgreSQL and Redis. They are killed and
 * stopped, and the databases pause.
 */
export async function replicatedWorld(providersUrl: string, options: WorldOptions): Promise<World> {
  const program = await obtainProgram({ names: ['redis-server', 'valkey-server'] }, console.error);
  const [redis, postgres] = await Promise.all([startOwnRedis(program), startOwnPostgres()]);
  const names = ['one', 'two'];
  const folders = new Map(names.map((name) => [name, newFolder()]));
  const start = (name: string): Promise<GatewayProcess> =>
    startProcess({
      folder: folders.get(name) ?? '',
      config: JSON.stringify(configFor(providersUrl, name, options)),
      args: ['--workers', String(options.workers ?? 1)],
      env: { SIGNALBOX_DATABASE_URL: postgres.url, SIGNALBOX_REDIS_URL: redis.url },
    });
  const replicas = new Replicas(start);
  await Promise.all(names.map((name) => replicas.add(name)));
  const balancer = await startBalancer(replicas.hosts());
  replicas.balancer = balancer;
  const pause = async (server: { pause(): void; resume(): void }, ms: number): Promise<null> => {
    server.pause();
    await wait(ms);
    server.resume();
    return null;
  };
  return {
    url: balancer.url,
    processes: names.length * (options.workers ?? 1),
    kills: replicas.kills,
    disturbances: [
      ['replica killed', () => replicas.kill()],
      [redisPauses, () => pause(redis, 2000)],
      ['replica restarted', () => replicas.restart()],
      ['database paused', () => pause(postgres, 3000)],
    ],
    async close() {
      await balancer.close();
      await endProcesses();
      await Promise.all([redis.stop(), postgres.remove()]);
    },
  };
}

const hostOf = (gateway: GatewayProcess): string => gateway.url.slice('http://'.length);

/** The replicas that run; the one that runs longest is the next to go. */
class Replicas {
  readonly kills: { replica: string; at: number }[] = [];
  balancer: Balancer | null = null;
  private readonly running: { name: string; gateway: GatewayProcess }[] = [];

  constructor(private readonly start: (name: string) => Promise<GatewayProcess>) {}

  hosts(): string[] {
    return this.running.map(({ gateway }) => hostOf(gateway));
  }

  async add(name: string): Promise<void> {
    const gateway = await this.start(name);
    this.running.push({ name, gateway });
    this.balancer?.add(hostOf(gateway));
  }

  async kill(): Promise<null> {
    const { name, gateway } = this.running.shift()!;
    this.kills.push({ replica: name, at: performance.now() });
    gateway.signal('SIGKILL');
    this.balancer?.remove(hostOf(gateway));
    await gateway.ended;
    await this.add(name);
    return null;
  }

  /** As operators do: first no new connections, then SIGTERM. */
  async restart(): Promise<string | null> {
    const { name, gateway } = this.running.shift()!;
    this.balancer?.remove(hostOf(gateway));
    gateway.signal('SIGTERM');
    const { code, signal, stderr } = await gateway.ended;
    await this.add(name);
    return code === 0
      ? null
      : `replica ${name} ended with ${code ?? signal ?? ''} on SIGTERM: ${stderr.slice(-500)}`;
  }
}
