import { describe, expect, it } from 'vitest';
import { shippedPredictor } from '../../../../src/chooser/predictor/shipped-predictor.js';
import { trainCustom, type Trained } from '../../../../src/chooser/training/custom/train-custom.js';
import { smallEvaluations } from '../../../helpers/small-evaluations.js';
import { plainTerms } from '../../../helpers/training-terms.js';
import { isWholeRun } from '../../../helpers/runs.js';
import { seeded } from '../../../../src/chooser/training/custom/bootstrap.js';

interface Row {
  readonly prompt: string;
  readonly scores: Readonly<Record<string, number>>;
}

const train = (rows: readonly Row[]): Trained =>
  trainCustom(
    rows.map((row) => JSON.stringify(row)).join('\n'),
    { format: 'jsonl', promptColumn: 'prompt', models: null, maximize: true, seed: 1 },
    { predictor: shippedPredictor(), terms: plainTerms },
    () => undefined,
  );

describe('the gain that a training reports', { timeout: 120_000 }, () => {
  it.runIf(isWholeRun)(
    'compares with the model that does best on the same rows, not with one that was measured only on easy rows',
    () => {
      const random = seeded(3);
      const { prompts } = smallEvaluations(600, 5);
      const rows = prompts.map((prompt, row) => {
        const isEasy = row % 2 === 0;
        const drawn = (chance: number): number => (random() < chance ? 1 : 0);
        return {
          prompt: `${prompt} ${row}`,
          scores: {
            steady: drawn(isEasy ? 0.9 : 0.2),
            weak: drawn(isEasy ? 0.5 : 0.1),
            ...(isEasy ? { picky: drawn(0.75) } : {}),
          },
        };
      });
      const { report } = train(rows);
      expect(report.bestSingle.model).toBe('steady');
      expect(report.isUseful).toBe(false);
    },
  );

  it('is refused if no row compares models', () => {
    const { prompts } = smallEvaluations(120, 5);
    const rows = prompts.map((prompt, row): Row => ({
      prompt,
      scores: { [row % 2 ? 'one' : 'two']: row % 3 ? 1 : 0 },
    }));
    expect(() => train(rows)).toThrow('at least 2 models');
  });

  it('is refused if a few prompts are repeated many times', () => {
    const { prompts } = smallEvaluations(12, 5);
    const rows = Array.from({ length: 90 }, (_, row) => ({
      prompt: ` ${prompts[row % 12]!.toUpperCase()}`,
      scores: { a: row % 2, b: row % 3 ? 1 : 0 },
    }));
    expect(() => train(rows)).toThrow(/^at least 20 different prompts .* there are \d+$/);
  });

  it("reports each model's mean over its own rows", () => {
    const { prompts } = smallEvaluations(60, 5);
    const { report } = train(
      prompts.map((prompt, row) => ({ prompt, scores: { a: 1, b: row % 2 } })),
    );
    expect(report.models).toEqual([
      { model: 'a', rows: 60, score: 1 },
      { model: 'b', rows: 60, score: 0.5 },
    ]);
    expect(report.bestSingle).toEqual({ model: 'a', score: 1 });
  });
});
