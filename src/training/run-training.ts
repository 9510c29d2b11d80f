import type { QualityPredictor } from '../routing/predictor/quality-predictor.js';
import type { Store } from '../store/contracts/store.js';
import type { ClaimedTraining, Lease, TrainingEnd } from '../store/contracts/trainings.js';
import type { TaskResult } from './task.js';
import { RefusedEvaluations, runInThread } from './training-thread.js';

/** Who carries trainings out, and on top of what. */
export interface RunOptions {
  /** Names the process among those on the same database. */
  readonly owner: string;
  /** How long a training is left alone whose process says nothing. */
  readonly leaseMs: number;
  /** What is trained on top of. @throws Error where there is none */
  readonly predictor: () => QualityPredictor;
  readonly warn: (warning: string) => void;
  readonly onProgress?: (share: number, doing: string) => void;
}

const maxAttempts = 3;
const beatMs = 1_000;

/** A lease from now on. */
export function leaseOf({ owner, leaseMs }: Pick<RunOptions, 'owner' | 'leaseMs'>): Lease {
  const at = Date.now();
  return { owner, at, until: at + leaseMs };
}

/**
 * Carries out a training that this process has taken on, and puts down how it ended. After the signal it is put back instead.
 * @returns how it ended; null where it was put back, or taken away meanwhile
 */
export async function runTraining(
  store: Pick<Store, 'trainingQueue'>,
  claimed: ClaimedTraining,
  options: RunOptions,
  signal: AbortSignal,
): Promise<TrainingEnd | null> {
  const { trainingQueue } = store;
  const lost = new AbortController();
  let told = { share: 0, doing: 'starting' };
  const beat = setInterval(
    () => {
      trainingQueue.keep(claimed.id, leaseOf(options), told.share, told.doing).then(
        (isOurs) => {
          if (!isOurs) lost.abort();
        },
        () => undefined,
      );
    },
    Math.min(beatMs, options.leaseMs / 3),
  );
  try {
    const end = await endOf(
      claimed,
      options,
      AbortSignal.any([signal, lost.signal]),
      (share, doing) => {
        told = { share, doing };
        options.onProgress?.(share, doing);
      },
    );
    if (end) return (await trainingQueue.finish(claimed.id, leaseOf(options), end)) ? end : null;
    await trainingQueue.release(claimed.id, options.owner);
    return null;
  } finally {
    clearInterval(beat);
  }
}

/** Null where it was stopped. */
async function endOf(
  { dataset, wishes, attempts }: ClaimedTraining,
  { predictor, warn }: RunOptions,
  signal: AbortSignal,
  onProgress: (share: number, doing: string) => void,
): Promise<TrainingEnd | null> {
  if (attempts > maxAttempts)
    return failed(
      'the process that carried it out has ended each time: the evaluations may need more memory than there is',
    );
  try {
    const ending = await runInThread(
      { text: dataset, wishes, predictor: predictor().weights },
      signal,
      onProgress,
    );
    return ending.kind === 'trained'
      ? ended(ending.result, Date.now())
      : failed('nothing was trained');
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof RefusedEvaluations) return failed(error.message);
    warn(`a training failed: ${error instanceof Error ? error.message : 'unknown'}`);
    return failed('a fault of the gateway; its log says more');
  }
}

function ended({ report, weights }: TaskResult, trainedAt: number): TrainingEnd {
  const { isUseful, gain } = report;
  return {
    state: isUseful ? 'done' : 'not_useful',
    report,
    error: null,
    router: isUseful ? { weights, gain: gain.value, trainedAt } : null,
  };
}

const failed = (error: string): TrainingEnd => ({
  state: 'failed',
  report: null,
  error,
  router: null,
});
