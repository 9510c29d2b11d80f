import type { Router } from '../routing/predictor/quality-predictor.js';
import type { Store } from '../store/contracts/store.js';
import type { ClaimedTraining, Lease, TrainingEnd } from '../store/contracts/trainings.js';
import type { TaskResult } from './task.js';
import { RefusedEvaluations, runTask } from './training-thread.js';

/** Who carries trainings out, and on top of what. */
export interface Carrier {
  /** Names the process among those on the same database. */
  readonly owner: string;
  /** How long a training is left alone whose process says nothing. */
  readonly leaseMs: number;
  /** What is trained on top of. @throws Error where there is none */
  readonly router: () => Router;
  readonly warn: (warning: string) => void;
  readonly onProgress?: (share: number, doing: string) => void;
}

const mostAttempts = 3;
const beatMs = 1_000;

/** A lease from now on. */
export function leaseOf({ owner, leaseMs }: Pick<Carrier, 'owner' | 'leaseMs'>): Lease {
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
  carrier: Carrier,
  signal: AbortSignal,
): Promise<TrainingEnd | null> {
  const { trainingQueue } = store;
  const lost = new AbortController();
  let told = { share: 0, doing: 'starting' };
  const beat = setInterval(
    () => {
      trainingQueue.keep(claimed.id, leaseOf(carrier), told.share, told.doing).then(
        (isOurs) => {
          if (!isOurs) lost.abort();
        },
        () => undefined,
      );
    },
    Math.min(beatMs, carrier.leaseMs / 3),
  );
  try {
    const end = await endOf(
      claimed,
      carrier,
      AbortSignal.any([signal, lost.signal]),
      (share, doing) => {
        told = { share, doing };
        carrier.onProgress?.(share, doing);
      },
    );
    if (end) return (await trainingQueue.finish(claimed.id, leaseOf(carrier), end)) ? end : null;
    await trainingQueue.release(claimed.id, carrier.owner);
    return null;
  } finally {
    clearInterval(beat);
  }
}

/** Null where it was stopped. */
async function endOf(
  { dataset, wishes, attempts }: ClaimedTraining,
  { router, warn }: Carrier,
  signal: AbortSignal,
  onProgress: (share: number, doing: string) => void,
): Promise<TrainingEnd | null> {
  if (attempts > mostAttempts)
    return failed(
      'the process that carried it out has ended each time: the evaluations may need more memory than there is',
    );
  try {
    const ending = await runTask(
      { text: dataset, wishes, router: router().weights },
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
