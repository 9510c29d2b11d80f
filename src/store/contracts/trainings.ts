/**
 * `not_useful`: it succeeded, but its router is of no use. At most the level of predicted quality is
 * corrected.
 */
export type TrainingState = 'queued' | 'running' | 'done' | 'failed' | 'not_useful';

/** How to read the rows of a training. */
export interface StoredWishes {
  readonly format: 'csv' | 'jsonl';
  readonly promptColumn: string;
  readonly models: readonly string[] | null;
  readonly maximize: boolean;
  readonly seed: number;
  /** What the columns mean, whatever their names; absent or null: by their names. */
  readonly columns?:
    | readonly {
        readonly name: string;
        readonly model: string;
        readonly role: 'score' | 'cost' | 'latency';
      }[]
    | null;
  /** How many characters the evaluation set takes at the beginning of the rows; absent: none. */
  readonly collectedLength?: number;
}

/** A training without its rows. */
export interface TrainingRecord {
  readonly id: string;
  readonly accountId: string;
  readonly preferenceId: string;
  readonly state: TrainingState;
  /** 0..1 */
  readonly progress: number;
  readonly doing: string;
  /** Null until it has ended. */
  readonly report: unknown;
  /** Why it failed; null if it did not. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The router that was trained for a preference. */
export interface StoredRouter {
  /** In the format of the routing. */
  readonly weights: string;
  /** `calibration`: only levels of quality are corrected. Absent in older rows: a router. */
  readonly part?: 'router' | 'calibration';
  /** The gain over always calling the best single model. */
  readonly gain: number;
  /** The share of that model's cost that `tradeoff: cost` saves; absent: not as good for less. */
  readonly saved?: number;
  readonly trainedAt: number;
}

export interface NewTraining extends Pick<TrainingRecord, 'id' | 'accountId' | 'preferenceId'> {
  readonly wishes: StoredWishes;
  readonly dataset: string;
  readonly at: number;
}

/** A training that a process works on. */
export interface LeasedTraining extends Pick<TrainingRecord, 'id' | 'accountId' | 'preferenceId'> {
  readonly wishes: StoredWishes;
  readonly dataset: string;
  /** How often it was started, this time included. */
  readonly attempts: number;
}

/** Which process works on a training, and until when without a renewal. */
export interface Lease {
  readonly owner: string;
  readonly at: number;
  readonly until: number;
}

/** How a training ended. */
export interface TrainingEnd {
  readonly state: 'done' | 'failed' | 'not_useful';
  readonly report: unknown;
  readonly error: string | null;
  /** The new router of the preference; null: unchanged. */
  readonly router: StoredRouter | null;
}

export interface TrainingStore {
  /**
   * Adds a training to the queue, or as running under a lease. It replaces the preference's
   * previous training, also a running one whose lease has expired.
   * @throws GatewayError `not_found` if the account has no such preference, `conflict` if a
   * training of the account is waiting or running, `unavailable` if too many wait
   */
  add(training: NewTraining, lease?: Lease): Promise<TrainingRecord>;
  /** The last training of each of these preferences. */
  latest(accountId: string, preferenceIds: readonly string[]): Promise<TrainingRecord[]>;
  /** Deletes the trainings of a preference, and its router. False if there was neither. */
  remove(accountId: string, preferenceId: string): Promise<boolean>;
}

/** The queue of trainings, for the processes that run them. */
export interface TrainingQueue {
  /** Takes the training that has waited longest, or whose lease has expired; null if none has. */
  take(lease: Lease): Promise<LeasedTraining | null>;
  /** Renews the lease and stores the progress. False if another process has taken the training. */
  keep(id: string, lease: Lease, progress: number, doing: string): Promise<boolean>;
  /** Puts a training back into the queue, without counting the attempt. */
  release(id: string, owner: string): Promise<void>;
  /** Stores how a training ended, and deletes its rows. False if another process has taken it. */
  finish(id: string, lease: Pick<Lease, 'owner' | 'at'>, end: TrainingEnd): Promise<boolean>;
}
