import { describe, expect, it } from 'vitest';
import { shippedPredictor } from '../../src/routing/predictor/shipped-predictor.js';
import { RefusedEvaluations, runInThread } from '../../src/training/training-thread.js';
import { evaluationsCsv } from '../helpers/evaluations-csv.js';

const wishes = {
  format: 'csv',
  promptColumn: 'prompt',
  models: null,
  maximize: true,
  seed: 1,
} as const;
/** The default maximum size of a body. */
const largest = 32 * 1024 * 1024;
const many = (piece: (at: number) => string): string =>
  Array.from({ length: 200_000 }, (_, at) => piece(at)).join('');

describe('the thread that reads evaluations', { timeout: 60_000 }, () => {
  it.each([
    ['jsonl', 'empty objects', () => '{}\n'.repeat(largest / 3)],
    ['jsonl', 'one object with many names', () => `{"prompt":"Hi"${many((at) => `,"m${at}":1`)}}`],
    ['csv', 'a header without end', () => `prompt${many((at) => `,m${at}`)}`],
  ] as const)(
    'refuses as %s %s',
    async (format, _, text) => {
      await expect(
        runInThread(
          { text: text(), wishes: { ...wishes, format }, predictor: null },
          AbortSignal.timeout(30_000),
        ),
      ).rejects.toThrow(RefusedEvaluations);
    },
    40_000,
  );

  it('stops when the signal aborts, even in the middle of its work', async () => {
    const stop = new AbortController();
    const task = runInThread(
      { text: evaluationsCsv(3_000), wishes, predictor: shippedPredictor().weights },
      stop.signal,
      () => stop.abort(),
    );
    await expect(task).rejects.toThrow('the training was stopped');
  });
});
