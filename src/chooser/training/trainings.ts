import { randomUUID } from 'node:crypto';
import { GatewayError, invalidField, messageOf } from '../../errors.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import type { PreferenceRecord } from '../../store/contracts/preferences.js';
import type { StoredWishes, TrainingRecord } from '../../store/contracts/trainings.js';
import { trainingLeaseMs, leaseOf, type RunOptions, runTraining } from './run-training.js';
import { RefusedEvaluations, runInThread } from './training-thread.js';

interface TrainingOptions extends Pick<RunOptions, 'warn' | 'terms'> {
  /** Called with a preference whose weights have changed. */
  readonly onTrained: (preference: PreferenceRecord) => void;
}

const maxChecks = 2;

/** Trains preferences' own weights: one at a time in this process, and each in one process only. */
export class Trainings {
  private readonly runOptions: RunOptions;
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  private isWoken = false;
  private checks = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly databases: LazyDatabases,
    private readonly options: TrainingOptions,
  ) {
    this.runOptions = { owner: randomUUID(), ...options };
    // picks up what another process, or this one before a restart, left behind
    databases.whenOpened(() => this.wake());
  }

  /**
   * Checks evaluations and queues their training.
   * @throws GatewayError `validation_failed` naming the wrong line, `not_found`, `conflict`,
   * `unavailable`
   */
  async add(
    accountId: string,
    preferenceId: string,
    dataset: string,
    wishes: StoredWishes,
  ): Promise<TrainingRecord> {
    const { store } = await this.databases.get();
    await this.check(dataset, wishes);
    const added = { id: randomUUID(), accountId, preferenceId, dataset, wishes, at: Date.now() };
    const training = await store.trainings.add(added);
    this.wake();
    return training;
  }

  /** Stops the running training; another process or the next start resumes it. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private async check(text: string, wishes: StoredWishes): Promise<void> {
    if (this.checks >= maxChecks)
      throw new GatewayError(
        'unavailable',
        'the gateway is checking other evaluations: try again',
        { retryAfterMs: 5_000 },
      );
    this.checks++;
    try {
      await runInThread({ text, wishes, predictor: null }, this.stopping.signal);
    } catch (error) {
      if (this.stopping.signal.aborted)
        throw new GatewayError('unavailable', 'the gateway is stopping', { retryAfterMs: 5_000 });
      throw error instanceof RefusedEvaluations ? invalidField('file', error.message) : error;
    } finally {
      this.checks--;
    }
  }

  private wake(): void {
    if (this.stopping.signal.aborted) return;
    clearTimeout(this.timer);
    if (this.running) {
      this.isWoken = true;
      return;
    }
    this.running = this.runQueued()
      .catch((error: unknown) => this.options.warn(`trainings cannot run: ${messageOf(error)}`))
      .finally(() => {
        this.running = null;
        if (this.isWoken) this.wake();
        else if (!this.stopping.signal.aborted)
          this.timer = setTimeout(() => this.wake(), trainingLeaseMs).unref();
      });
  }

  private async runQueued(): Promise<void> {
    this.isWoken = false;
    const { store } = await this.databases.get();
    while (!this.stopping.signal.aborted) {
      const leased = await store.trainingQueue.take(leaseOf(this.runOptions));
      if (!leased) return;
      const end = await runTraining(store, leased, this.runOptions, this.stopping.signal);
      const preference = end?.router
        ? await store.preferences.find(leased.accountId, leased.preferenceId)
        : null;
      if (preference) this.options.onTrained(preference);
    }
  }
}
