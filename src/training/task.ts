import { encodeCustom } from '../routing/predictor/custom-weights.js';
import { QualityPredictor } from '../routing/predictor/quality-predictor.js';
import type { PredictorWeights } from '../routing/predictor/predictor-weights.js';
import { FileProblem } from './custom/evaluation-file.js';
import type { TrainingReport } from './custom/report.js';
import {
  type Beginning,
  checkEvaluations,
  trainCustom,
  type TrainingWishes,
} from './custom/train-custom.js';

/** Evaluations for the training thread to read. */
interface Reading {
  readonly text: string;
  readonly wishes: TrainingWishes;
}

/** A task of checking a text only. */
interface Check extends Reading {
  readonly predictor: null;
}

/** A task of training. */
interface Training extends Reading, Omit<Beginning, 'predictor'> {
  /** The predictor to build on. */
  readonly predictor: PredictorWeights;
}

/** A task for the training thread. */
export type Task = Check | Training;

/** The result of a training: its report, and the weights to put in use, as they are stored. */
export interface TaskResult {
  readonly report: TrainingReport;
  readonly weights: string;
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
    const { report, weights, calibration } = trainCustom(
      task.text,
      task.wishes,
      { ...task, predictor: new QualityPredictor(task.predictor) },
      (share, doing) => post({ kind: 'progress', share, doing }),
    );
    const used = report.inUse === 'calibration' ? calibration : weights;
    post({ kind: 'trained', result: { report, weights: encodeCustom(used) } });
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    post({ kind: 'problem', message: error.message });
  }
}
