import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { backoffMs } from '../../async/backoff.js';
import { ProcessLink } from '../../async/process-link.js';
import { DatabaseOwner } from '../../store/relay/database-owner.js';
import { WorkerMeasurements } from '../../telemetry/metrics/worker-measurements.js';
import { onSignals } from './signals.js';
import {
  roleVariable,
  type SupervisorCalls,
  type WorkerCalls,
  type WorkerRole,
} from './supervisor.js';

const restartRule = { firstMs: 100, maxMs: 30_000 };
/** Within which what a worker has sent before it ended is received. */
const lastMessagesMs = 100;
/** A worker that leaves so many beats in a row unanswered is stuck. */
const beatMs = 10_000;
const maxMissedBeats = 3;
/** A worker that has lived this long did not fail at its start. */
const steadyMs = 60_000;

/**
 * Starts workers, which serve at one address, and another one for each that ends. This process owns
 * what they share: the embedded database, and the counters where there is no Redis.
 * @param databaseFile null: the database is in memory, or a server
 */
export async function supervise(
  count: number,
  databaseFile: string | null,
  logger: Logger,
): Promise<void> {
  // numbers may be NaN, which JSON does not have
  cluster.setupPrimary({ serialization: 'advanced' });
  const owner = new DatabaseOwner(databaseFile ?? ':memory:');
  const workers = new Workers(owner, logger);
  // one that is stuck would not notice that its channel is closed
  process.once('exit', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
  });
  await workers.start(count);
  const stop = async (): Promise<void> => {
    await workers.stop();
    await owner.close();
  };
  onSignals({ stop, reload: () => workers.tell('reload') });
}

class Workers {
  private readonly links = new Map<number, ProcessLink<WorkerCalls>>();
  private readonly metrics = new WorkerMeasurements();
  private hasStarted = false;
  private isStopping = false;
  private onAllEnded: () => void = () => undefined;

  constructor(
    private readonly owner: DatabaseOwner,
    private readonly logger: Logger,
  ) {}

  /** The first worker migrates the database; its failure is that of the start. */
  async start(count: number): Promise<void> {
    await new Promise<void>((ready) => this.fork('first', 0, ready));
    this.hasStarted = true;
    for (let index = 1; index < count; index++) this.fork('other', 0);
  }

  tell(call: 'reload' | 'stop'): void {
    for (const link of this.links.values()) link.tell(call);
  }

  /** Resolves when the requests in flight are finished and all workers have ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const ended = new Promise<void>((allEnded) => (this.onAllEnded = allEnded));
    this.tell('stop');
    if (this.links.size > 0) await ended;
  }

  private fork(role: WorkerRole, failures: number, onReady?: () => void): void {
    const startedAt = performance.now();
    const worker = cluster.fork({ [roleVariable]: role });
    const { id } = worker;
    const share = this.owner.share((...published) => link.tell('published', ...published));
    const served: SupervisorCalls = {
      ...share.calls,
      ready: () => {
        this.logger.info({ worker: worker.process.pid }, `worker ${id} serves`);
        onReady?.();
      },
      gather: () => this.metrics.gather(this.links),
    };
    const lost = (): void => undefined;
    const send = (message: object): void => void worker.send(message, lost);
    const link = new ProcessLink<WorkerCalls>(send, served);
    this.links.set(id, link);
    const closeLost = rememberConnections(worker);
    const beat = setInterval(this.watch(worker, link), beatMs);
    worker.on('message', (message: object) => link.receive(message));
    worker.on('error', ({ message }) => this.logger.warn(`worker ${id}: ${message}`));
    const clear = (): void => {
      if (!this.links.delete(id)) return;
      clearInterval(beat);
      worker.removeAllListeners('message');
      closeLost();
      share.end();
      this.metrics.remove(id);
      this.replace(role, performance.now() - startedAt > steadyMs ? 1 : failures + 1);
    };
    // comes last, but not where the worker was killed within a message
    worker.once('disconnect', clear);
    worker.once('exit', (code: number | null, signal: string | null) => {
      this.logger[this.isStopping ? 'info' : 'error'](`worker ${id} has ended: ${signal ?? code}`);
      setTimeout(clear, lastMessagesMs);
    });
  }

  /**
   * Kills a worker that is stuck: it could be within a transaction, for which all others would wait,
   * and would never stop. Counts beats, so that a pause of all processes is none of the worker's.
   */
  private watch(worker: Worker, link: ProcessLink<WorkerCalls>): () => void {
    let missed = 0;
    return () => {
      if (missed++ === maxMissedBeats) {
        this.logger.error(`worker ${worker.id} does not answer any more: it is killed`);
        worker.process.kill('SIGKILL');
      }
      void link.call('beat').then(() => (missed = 0));
    };
  }

  private replace(role: WorkerRole, failures: number): void {
    // the worker has printed why
    if (!this.hasStarted) process.exit(1);
    if (this.isStopping) {
      if (this.links.size === 0) this.onAllEnded();
      return;
    }
    const next = role === 'first' ? 'lead' : role;
    const start = (): unknown => this.isStopping || this.fork(next, failures);
    setTimeout(start, backoffMs(failures, restartRule));
  }
}

/** The workers that connections were sent to last. */
const receivers = new WeakMap<object, Worker>();

/**
 * Node forgets a connection that is on its way to a worker when that ends, and its client would wait
 * for ever (`RoundRobinHandle.handoff`, Node 20 to 24, 2026-11).
 * @returns closes such a connection
 */
function rememberConnections(worker: Worker): () => void {
  const { process: child } = worker;
  const send = child.send.bind(child);
  let last: unknown = null;
  child.send = (...args: unknown[]): boolean => {
    const [, handle] = args;
    if (isClosable(handle)) receivers.set((last = handle), worker);
    return Reflect.apply(send, child, args) as boolean;
  };
  return () => {
    if (isClosable(last) && receivers.get(last) === worker) last.close();
  };
}

const isClosable = (handle: unknown): handle is { close(): void } =>
  typeof handle === 'object' && handle !== null && 'close' in handle;
