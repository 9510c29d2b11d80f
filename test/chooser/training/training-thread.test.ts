import { describe, expect, it } from 'vitest';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { RefusedEvaluations, runInThread } from '../../../src/chooser/training/training-thread.js';
import { plainTerms } from '../../helpers/training-terms.js';
import { evaluationsCsv } from '../../helpers/evaluations-csv.js';

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

  it("starts also where Node was started with options of V8's", async () => {
    const options = ['--max-old-space-size=2048', '--expose-gc', '--stack-size', '900'];
    process.execArgv.unshift(...options);
    try {
      const task = { text: evaluationsCsv(60), wishes, predictor: null };
      expect(await runInThread(task, AbortSignal.timeout(30_000))).toEqual({ kind: 'checked' });
    } finally {
      process.execArgv.splice(0, options.length);
    }
  });

  it('stops when the signal aborts, even in the middle of its work', async () => {
    const stop = new AbortController();
    const task = runInThread(
      {
        text: evaluationsCsv(3_000),
        wishes,
        predictor: shippedPredictor().weights,
        terms: plainTerms,
      },
      stop.signal,
      () => stop.abort(),
    );
    await expect(task).rejects.toThrow('the training was stopped');
  });
});
