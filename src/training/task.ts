import { encodeCustom } from '../routing/predictor/custom-weights.js';
import { QualityPredictor } from '../routing/predictor/quality-predictor.js';
import type { PredictorWeights } from '../routing/predictor/predictor-weights.js';
import { FileProblem } from './custom/evaluation-file.js';
import type { TrainingReport } from './custom/report.js';
import { checkEvaluations, trainCustom, type TrainingWishes } from './custom/train-custom.js';

/** A task for the training thread. */
export interface Task {
  readonly text: string;
  readonly wishes: TrainingWishes;
  /** The predictor to build on; null: only check the text. */
  readonly predictor: PredictorWeights | null;
}

/** The result of a training: its report, and its weights as they are stored. */
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
export function runTask(
  { text, wishes, predictor }: Task,
  post: (message: TaskMessage) => void,
): void {
  try {
    if (predictor === null) {
      checkEvaluations(text, wishes);
      post({ kind: 'checked' });
      return;
    }
    const { report, weights } = trainCustom(
      text,
      wishes,
      new QualityPredictor(predictor),
      (share, doing) => post({ kind: 'progress', share, doing }),
    );
    post({ kind: 'trained', result: { report, weights: encodeCustom(weights) } });
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    post({ kind: 'problem', message: error.message });
  }
}
