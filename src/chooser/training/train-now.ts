import { randomUUID } from 'node:crypto';
import type { Store } from '../../store/contracts/store.js';
import type { NewTraining } from '../../store/contracts/trainings.js';
import { shippedPredictor } from '../predictor/shipped-predictor.js';
import type { TrainingReport } from './custom/report.js';
import { leaseOf, type RunOptions, runTraining } from './run-training.js';
import { runInThread } from './training-thread.js';
import type { TrainingTerms } from './custom/custom-rows.js';

const leaseMs = 30_000;

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
  const options: RunOptions = {
    owner: randomUUID(),
    leaseMs,
    predictor: shippedPredictor,
    terms: () => terms,
    ...reporting,
  };
  const added = { id: randomUUID(), ...training };
  const { id } = await store.trainings.add({ ...added, at: Date.now() }, leaseOf(options));
  const leased = { ...added, id, attempts: 1 };
  const end = await runTraining(store, leased, options, new AbortController().signal);
  if (!end) throw new Error('the training was deleted while it ran');
  if (end.error) throw new Error(end.error);
  return end.report as TrainingReport;
}
