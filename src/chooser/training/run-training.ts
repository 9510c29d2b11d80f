import { randomUUID } from 'node:crypto';
import { messageOf } from '../../errors.js';
import type { Store } from '../../store/contracts/store.js';
import type {
  Lease,
  LeasedTraining,
  NewTraining,
  StoredRouter,
  TrainingEnd,
} from '../../store/contracts/trainings.js';
import type { TrainingReport } from './custom/report.js';
import { isCheaper } from './custom/judge-savings.js';
import type { TrainedPart } from './custom/verdict.js';
import type { TaskResult } from './task.js';
import { RefusedEvaluations, runInThread } from './training-thread.js';
import type { TrainingTerms } from './custom/custom-rows.js';
import { whyPassedOver } from './preference-cache.js';
import { shippedPredictor } from '../predictor/shipped-predictor.js';

/** What a training runs with. */
export interface RunOptions {
  /** Identifies this process among those on the same database. */
  readonly owner: string;
  /** As the configuration in force says. */
  readonly terms: () => TrainingTerms;
  readonly warn: (warning: string) => void;
  readonly onProgress?: (share: number, doing: string) => void;
}

/** How long a training stays with a process that does not report progress. */
export const trainingLeaseMs = 30_000;
const maxAttempts = 3;
const heartbeatMs = 1_000;

/** A lease that begins now. */
export function leaseOf({ owner }: Pick<RunOptions, 'owner'>): Lease {
  const at = Date.now();
  return { owner, at, until: at + trainingLeaseMs };
}

/**
 * Runs a training that this process has taken, and stores the result. If the signal aborts, the
 * training goes back to the queue instead.
 * @returns the result; null if the training went back to the queue or another process took it over
 */
export async function runTraining(
  store: Pick<Store, 'trainingQueue' | 'preferences'>,
  leased: LeasedTraining,
  options: RunOptions,
  signal: AbortSignal,
): Promise<TrainingEnd | null> {
  const { trainingQueue } = store;
  const lost = new AbortController();
  const progress = { share: 0, doing: 'starting' };
  const heartbeat = keepLease(trainingQueue, leased.id, options, progress, lost);
  try {
    const signals = AbortSignal.any([signal, lost.signal]);
    const preference = await store.preferences.find(leased.accountId, leased.preferenceId);
    const earlier = routerInUse(preference?.router ?? null);
    const end = await endOf(leased, earlier, options, signals, (share, doing) => {
      Object.assign(progress, { share, doing });
      options.onProgress?.(share, doing);
    });
    if (end) return (await trainingQueue.finish(leased.id, leaseOf(options), end)) ? end : null;
    await trainingQueue.release(leased.id, options.owner);
    return null;
  } finally {
    clearInterval(heartbeat);
  }
}

/** Renews the lease and reports progress each second; aborts `lost` when another process has it. */
function keepLease(
  queue: Store['trainingQueue'],
  id: string,
  options: RunOptions,
  progress: { readonly share: number; readonly doing: string },
  lost: AbortController,
): NodeJS.Timeout {
  const renew = (): void => {
    queue.keep(id, leaseOf(options), progress.share, progress.doing).then(
      (isOurs) => {
        if (!isOurs) lost.abort();
      },
      () => undefined,
    );
  };
  return setInterval(renew, heartbeatMs);
}

/** A stored router that requests can use; null if they cannot use it. */
const routerInUse = (router: StoredRouter | null): StoredRouter | null =>
  router && whyPassedOver(router.weights) === null ? router : null;

const partOf = ({ part = 'router' }: StoredRouter): TrainedPart => part;

/** The result of a training; null if it was stopped. */
async function endOf(
  { dataset, wishes, attempts }: LeasedTraining,
  earlier: StoredRouter | null,
  { terms, warn }: RunOptions,
  signal: AbortSignal,
  onProgress: (share: number, doing: string) => void,
): Promise<TrainingEnd | null> {
  if (attempts > maxAttempts)
    return failed(
      'each process that ran the training ended: the evaluations may need more memory than is available',
    );
  try {
    const part = earlier && partOf(earlier);
    const task = {
      text: dataset,
      wishes,
      predictor: shippedPredictor().weights,
      terms: terms(),
      earlier: part,
      earlierWeights: part === 'router' ? earlier!.weights : null,
    };
    const ending = await runInThread(task, signal, onProgress);
    return ending.kind === 'trained'
      ? ended(ending.result, earlier, Date.now())
      : failed('nothing was trained');
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof RefusedEvaluations) return failed(error.message);
    warn(`a training failed: ${messageOf(error)}`);
    return failed('an internal error of the gateway; see its log');
  }
}

const ended = (
  { report, weights }: TaskResult,
  earlier: StoredRouter | null,
  trainedAt: number,
): TrainingEnd => ({
  state: report.isUseful ? 'done' : 'not_useful',
  report,
  error: null,
  router:
    report.inUse === 'earlier'
      ? earlier && weights !== null
        ? { ...earlier, weights }
        : null
      : routerOf(report, weights, trainedAt),
});

function routerOf(
  { inUse, isUseful, choices, savings }: TrainingReport,
  weights: string | null,
  trainedAt: number,
): StoredRouter | null {
  if (weights === null || (inUse !== 'router' && inUse !== 'calibration')) return null;
  const { gain } = inUse === 'router' ? choices.fitted : choices.offsets;
  const router = { weights, part: inUse, gain: gain.value, trainedAt };
  const saves = isUseful && savings !== null && isCheaper(savings);
  return saves ? { ...router, saved: savings.trained.saved.value } : router;
}

const failed = (error: string): TrainingEnd => ({
  state: 'failed',
  report: null,
  error,
  router: null,
});

/**
 * Trains a preference at once, in this process, and stores the result. Rows that cannot be used are
 * refused before the training takes the place of the previous one.
 * @throws Error that says what is wrong
 */
export async function trainNow(
  store: Store,
  training: Omit<NewTraining, 'id' | 'at'>,
  terms: TrainingTerms,
  reporting: Pick<RunOptions, 'warn' | 'onProgress'>,
): Promise<TrainingReport> {
  const { dataset: text, wishes } = training;
  await runInThread({ text, wishes, predictor: null }, new AbortController().signal);
  const options: RunOptions = { owner: randomUUID(), terms: () => terms, ...reporting };
  const added = { id: randomUUID(), ...training };
  const { id } = await store.trainings.add({ ...added, at: Date.now() }, leaseOf(options));
  const leased = { ...added, id, attempts: 1 };
  const end = await runTraining(store, leased, options, new AbortController().signal);
  if (!end) throw new Error('the training was deleted while it ran');
  if (end.error) throw new Error(end.error);
  return end.report as TrainingReport;
}
