/** `not_useful`: it ended well and found no gain, so that nothing was switched on. */
export type TrainingState = 'queued' | 'running' | 'done' | 'failed' | 'not_useful';

/** How the rows are to be read. */
export interface StoredWishes {
  readonly format: 'csv' | 'jsonl';
  readonly promptColumn: string;
  readonly models: readonly string[] | null;
  readonly maximize: boolean;
  readonly seed: number;
}

/** A training as it is told of: without its rows. */
export interface TrainingRecord {
  readonly id: string;
  readonly accountId: string;
  readonly preferenceId: string;
  readonly state: TrainingState;
  /** 0..1 */
  readonly progress: number;
  readonly doing: string;
  /** Null until it is over. */
  readonly report: unknown;
  /** Why it failed; null where it did not. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The router that a preference uses. */
export interface StoredRouter {
  /** As the routing has written them. */
  readonly weights: string;
  /** Over always calling the best single model. */
  readonly gain: number;
  readonly trainedAt: number;
}

export interface NewTraining extends Pick<TrainingRecord, 'id' | 'accountId' | 'preferenceId'> {
  readonly wishes: StoredWishes;
  readonly dataset: string;
  readonly at: number;
}

/** A training that one process has taken on. */
export interface ClaimedTraining extends Pick<TrainingRecord, 'id' | 'accountId' | 'preferenceId'> {
  readonly wishes: StoredWishes;
  readonly dataset: string;
  /** How often it was begun, this time included. */
  readonly attempts: number;
}

/** Who works on a training, and until when that is believed without another word. */
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
  /** What the preference uses from now on; null: what it used before. */
  readonly router: StoredRouter | null;
}

/** Trainings as their accounts see them. */
export interface TrainingStore {
  /**
   * Adds one that waits, or that is begun already under a lease. Of a preference the last one is kept; one whose lease has run out gives way.
   * @throws GatewayError `not_found` for a preference that is not this account's, `conflict` where the account has one that is not over,
   * `unavailable` where too many wait
   */
  add(training: NewTraining, lease?: Lease): Promise<TrainingRecord>;
  /** The last one of each of these preferences. */
  latest(accountId: string, preferenceIds: readonly string[]): Promise<TrainingRecord[]>;
  /** Ends and forgets trainings of a preference, and switches its router off. False where there was none of either. */
  remove(accountId: string, preferenceId: string): Promise<boolean>;
}

/** Trainings as the processes see them that carry them out. */
export interface TrainingQueue {
  /** Takes on the one that has waited longest, or that another process has left behind; null where there is none. */
  claim(lease: Lease): Promise<ClaimedTraining | null>;
  /** Says how far it is, and goes on with it. False where it is this process's no more. */
  keep(id: string, lease: Lease, progress: number, doing: string): Promise<boolean>;
  /** Puts it back for another process, or for this one when it starts again. */
  release(id: string, owner: string): Promise<void>;
  /** Puts down how it ended, and forgets its rows. False where it is this process's no more. */
  finish(id: string, lease: Pick<Lease, 'owner' | 'at'>, end: TrainingEnd): Promise<boolean>;
}
