import { ProcessLink } from '../../async/process-link.js';
import type { StandaloneGateway } from '../../gateway.js';
import type { OwnerCalls } from '../../store/relay/database-owner.js';
import { RelayedDatabases } from '../../store/relay/relayed-databases.js';
import type { Measurements } from '../../telemetry/metrics/worker-measurements.js';
import { type Control, endWith } from './signals.js';

/** What a worker asks of its supervisor. */
export type SupervisorCalls = OwnerCalls & {
  ready(): void;
  gather(): Promise<Measurements[]>;
};

/** What the supervisor asks of a worker. */
export type WorkerCalls = Readonly<{
  published: (topic: string, text: string) => void;
  measurements: () => Promise<Measurements>;
  /** Answers as long as its event loop turns. */
  beat: () => void;
  reload: () => void;
  stop: () => void;
}>;

/** Tells a worker its role: `first` greets, and it or its replacement `lead` does what one must do. */
export const roleVariable = 'SIGNALBOX_WORKER';
export type WorkerRole = 'first' | 'lead' | 'other';

/** The supervisor of this process, which is one of several workers. */
export class Supervisor {
  /** What the workers share of the databases. */
  readonly databases: RelayedDatabases;
  private readonly link: ProcessLink<SupervisorCalls>;
  private worker: (Control & Pick<StandaloneGateway, 'measured'>) | null = null;
  private isStopping = false;

  /** Null: this process has none. */
  static ofThisProcess(): Supervisor | null {
    const role = process.env[roleVariable];
    return role === undefined ? null : new Supervisor(role as WorkerRole);
  }

  private constructor(readonly role: WorkerRole) {
    const served: WorkerCalls = {
      published: (topic, text) => this.databases.published(topic, text),
      measurements: () => this.worker?.measured.measurements() ?? Promise.resolve([]),
      beat: () => undefined,
      reload: () => this.worker?.reload?.(),
      stop: () => this.stop(),
    };
    const lost = (): void => undefined;
    this.link = new ProcessLink(
      (message) => void process.send?.(message, undefined, {}, lost),
      served,
    );
    this.databases = new RelayedDatabases(this.link);
    process.on('message', (message: object) => this.link.receive(message));
    // a terminal sends them to all processes, and the supervisor says what follows
    process.on('SIGINT', () => undefined);
    process.on('SIGHUP', () => undefined);
    process.on('SIGTERM', () => this.stop());
  }

  /** From now on this worker serves, and does what the supervisor says. */
  obey(worker: Control & Pick<StandaloneGateway, 'measured'>): void {
    this.worker = worker;
    worker.measured.gather = () => this.link.call('gather');
    this.link.tell('ready');
    if (this.isStopping) endWith(worker.stop());
  }

  /** The start has failed: lets the process end. */
  leave(): void {
    process.channel?.unref();
  }

  private stop(): void {
    if (this.worker && !this.isStopping) endWith(this.worker.stop());
    this.isStopping = true;
  }
}
