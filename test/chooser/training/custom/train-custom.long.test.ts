import { beforeAll, describe, expect, it } from 'vitest';
import { defaults } from '../../../../src/config/fill.js';
import { createTuning } from '../../../../src/chooser/predictor/custom-tuning.js';
import { decodeCustom, encodeCustom } from '../../../../src/chooser/predictor/custom-weights.js';
import { QualityPredictor } from '../../../../src/chooser/predictor/quality-predictor.js';
import type { Tuning } from '../../../../src/chooser/predictor/tuning.js';
import { createLearnedRanker } from '../../../../src/chooser/rankers/learned-ranker.js';
import {
  trainCustom,
  type Trained,
  type TrainingWishes,
} from '../../../../src/chooser/training/custom/train-custom.js';
import { fitPredictor } from '../../../lab/fit/fit-predictor.js';
import { appraisalOf } from '../../../helpers/appraisals.js';
import { codePrompt, evaluationsCsv, factsPrompt } from '../../../helpers/evaluations-csv.js';
import { smallEvaluations } from '../../../helpers/small-evaluations.js';
import { plainTerms } from '../../../helpers/training-terms.js';
import { isWholeRun } from '../../../helpers/runs.js';

const wishes: TrainingWishes = {
  format: 'csv',
  promptColumn: 'prompt',
  models: null,
  maximize: true,
  seed: 1,
};
const pool = ['alpha', 'beta', 'gamma'].map((name) => appraisalOf(name, { price: 1 }));

describe('weights trained from evaluations', { timeout: 120_000 }, () => {
  let predictor: QualityPredictor;
  let trained: Trained;
  let tuning: Tuning;
  const train = (text: string, changes: Partial<TrainingWishes> = {}): Trained =>
    trainCustom(text, { ...wishes, ...changes }, { predictor, terms: plainTerms }, () => undefined);
  const first = (
    content: string,
    tunings: readonly Tuning[] = [tuning],
    candidates = pool,
  ): string => {
    const ranked = createLearnedRanker({ predictor, ...defaults.routing }).rank(
      { messages: [{ role: 'user', content }], tunings },
      candidates,
    );
    return Array.isArray(ranked) ? ranked[0]!.label : '';
  };

  beforeAll(() => {
    const evaluations = smallEvaluations(400, 50);
    predictor = new QualityPredictor(
      fitPredictor(
        evaluations,
        Int32Array.from(evaluations.features, (_, row) => row),
        { seed: 1, name: 'small', known: [0.6, 0.6, 0.5] },
      ),
    );
    trained = train(evaluationsCsv(200));
    tuning = createTuning(trained.weights, predictor)!;
  });

  it('are judged by cost and score beside each single model, with intervals', () => {
    const costs = ['prompt,alpha,beta,gamma,alpha/cost,beta/cost,gamma/cost'];
    const [, ...lines] = evaluationsCsv(200, { names: ['alpha', 'beta', 'gamma'] }).split(
      /\n(?=")/,
    );
    const { evaluation } = train(
      [...costs, ...lines.map((line) => `${line},2,2,1`)].join('\n'),
    ).report;
    const { singles, hull, trained: curve, source, rows } = evaluation!;
    expect([source, rows, singles.map(({ model }) => model)]).toEqual([
      'evaluations',
      200,
      ['alpha', 'beta', 'gamma'],
    ]);
    for (const { cost, score } of [...singles, ...curve])
      for (const { low, value, high } of [cost, score]) {
        expect(low).toBeLessThanOrEqual(value);
        expect(value).toBeLessThanOrEqual(high);
      }
    expect(hull[0]).toMatchObject({ cost: 1 });
    // it may choose by prompt, which no mixture of single models can
    expect(curve[0]!.score.value).toBeGreaterThan(hull.at(-1)!.score);
    expect(curve.at(-1)!.cost.value).toBe(1);
  });

  it('beat the best single model on unseen rows', () => {
    const { prompts, scores } = smallEvaluations(200, 9);
    const score = (choose: (prompt: string) => number): number =>
      prompts.reduce((sum, prompt, row) => sum + scores[row * 3 + choose(prompt)]!, 0) /
      prompts.length;
    const singles = [0, 1, 2].map((model) => score(() => model));
    expect(
      score((prompt) => pool.findIndex(({ candidate }) => candidate.label === first(prompt))),
    ).toBeGreaterThan(Math.max(...singles) + 0.2);
  });

  it('come with a cross-validated gain and its interval, compared with simpler choices', () => {
    const { report } = trained;
    expect(report.isUseful).toBe(true);
    expect(report.gain.low).toBeGreaterThan(0.15);
    expect(report.gain.high).toBeGreaterThan(report.gain.value);
    expect(report.choices.fitted.score).toBeGreaterThan(report.choices.offsets.score);
    expect(report.verdict).toContain('better than always calling');
    expect(report.aiq).toBeNull();
  });

  it.runIf(isWholeRun)('show no gain in noise', () => {
    for (const seed of [1, 2, 3])
      expect(train(evaluationsCsv(150, { seed, isNoise: true })).report).toMatchObject({
        isUseful: false,
      });
  });

  it('are the same for the same rows and seed, and after being stored', () => {
    expect(encodeCustom(train(evaluationsCsv(200)).weights)).toBe(encodeCustom(trained.weights));
    expect(decodeCustom(encodeCustom(trained.weights))).toEqual(trained.weights);
    expect(() =>
      decodeCustom(encodeCustom({ ...trained.weights, offsets: new Float32Array(1) })),
    ).toThrow('damaged');
  });

  it('are reversed if lower scores are better', () => {
    const lower = createTuning(train(evaluationsCsv(200), { maximize: false }).weights, predictor)!;
    expect([first(codePrompt), first(codePrompt, [lower])]).toEqual(['p/alpha', 'p/beta']);
  });

  it('are the same from stars as from shares', () => {
    const stars = evaluationsCsv(200).replace(
      /,([01]),([01]),([01])$/gm,
      (_, ...marks: string[]) =>
        `,${marks
          .slice(0, 3)
          .map((mark) => 1 + 4 * Number(mark))
          .join(',')}`,
    );
    const { report } = train(stars);
    expect(report.scale).toEqual({ worst: 1, best: 5 });
    expect(report.gain).toEqual(trained.report.gain);
  });

  it.runIf(isWholeRun)(
    'are trained despite missing cells, and come with the AIQ if costs are known',
    () => {
      const holes = evaluationsCsv(240).replace(
        /,[01]$/gm,
        (cell) => (cell === ',1' ? '' : cell) || ',',
      );
      expect(train(holes).report.models[2]!.rows).toBeLessThan(240);
      const [header, ...lines] = evaluationsCsv(200).split('\n');
      const priced = [
        `${header},up/alpha/cost,up/beta/cost,up/gamma/cost`,
        ...lines.map((line) => `${line},0.002,0.003,0.001`),
      ].join('\n');
      const { aiq } = train(priced).report;
      expect(aiq!['fitted']).toBeGreaterThan(aiq!['zeroRouter']!);
    },
  );

  it('move a model that was not evaluated with the others, and do not apply to another predictor', () => {
    const stranger = appraisalOf('stranger', { quality: 0.5, price: 1 });
    expect(first(codePrompt, [tuning], [...pool, stranger])).toBe('p/alpha');
    expect(createTuning({ ...trained.weights, router: 'another' }, predictor)).toBeNull();
  });

  it("recognise their models by any provider's name", () => {
    const elsewhere = ['accounts/x/models/alpha', 'Beta'].map((name) =>
      appraisalOf(name, { price: 1 }),
    );
    expect([
      first(codePrompt, [tuning], elsewhere),
      first(factsPrompt, [tuning], elsewhere),
    ]).toEqual(elsewhere.map(({ candidate }) => candidate.label));
  });
});
