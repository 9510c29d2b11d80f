import { decodeCustom, encodeCustom } from '../predictor/custom-weights.js';
import { QualityPredictor } from '../predictor/quality-predictor.js';
import type { TrainingReport } from './custom/report.js';
import {
  type Beginning,
  checkEvaluations,
  trainCustom,
  type TrainingWishes,
} from './custom/train-custom.js';
import { FileProblem } from './custom/evaluation-rows.js';
import type { PredictorWeights } from '../predictor/predictor-file.js';

/** Evaluations for the training thread to read. */
interface Reading {
  readonly text: string;
  readonly wishes: TrainingWishes;
}

interface Training extends Reading, Omit<Beginning, 'predictor' | 'earlierWeights'> {
  readonly predictor: PredictorWeights;
  /** As stored. */
  readonly earlierWeights?: string | null;
}

/** A task for the training thread. */
export type Task = (Reading & { readonly predictor: null }) | Training;

/** The result of a training: its report, and the weights to put in use, as they are stored. */
export interface TaskResult {
  readonly report: TrainingReport;
  /** Null: what is in use stays as it is. */
  readonly weights: string | null;
}

/** A message from the training thread. The last three kinds end the task. */
export type TaskMessage =
  | { readonly kind: 'progress'; readonly share: number; readonly doing: string }
  | { readonly kind: 'problem'; readonly message: string }
  | { readonly kind: 'checked' }
  | { readonly kind: 'trained'; readonly result: TaskResult };

/** Runs a task in the calling thread. @throws Error for failures that are not the text's fault */
export function runTask(task: Task, post: (message: TaskMessage) => void): void {
  try {
    if (task.predictor === null) {
      checkEvaluations(task.text, task.wishes);
      post({ kind: 'checked' });
      return;
    }
    const { earlierWeights = null } = task;
    const { report, weights, calibration, earlier } = trainCustom(
      task.text,
      task.wishes,
      {
        ...task,
        predictor: new QualityPredictor(task.predictor),
        earlierWeights: earlierWeights === null ? null : decodeCustom(earlierWeights),
      },
      (share, doing) => post({ kind: 'progress', share, doing }),
    );
    const { inUse } = report;
    const used = { router: weights, calibration, earlier }[inUse ?? 'router'];
    post({ kind: 'trained', result: { report, weights: used && encodeCustom(used) } });
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    post({ kind: 'problem', message: error.message });
  }
}
