import { describe, expect, it } from 'vitest';
import { logOdds, sigmoid } from '../../../../src/models/numbers.js';
import { createTuning } from '../../../../src/chooser/predictor/custom-tuning.js';
import type { CustomWeights } from '../../../../src/chooser/predictor/custom-weights.js';
import { featuresOf } from '../../../../src/chooser/predictor/features/features.js';
import { createFindModel } from '../../../../src/chooser/predictor/known-models.js';
import { shippedPredictor } from '../../../../src/chooser/predictor/shipped-predictor.js';
import { guessedAbility, knownAbility } from '../../../../src/models/model-families.js';
import { canonicalName } from '../../../../src/models/model-name.js';
import { trainCustom, type Trained } from '../../../../src/chooser/training/custom/train-custom.js';
import { plainTerms } from '../../../helpers/training-terms.js';
import { isWholeRun } from '../../../helpers/runs.js';
import { smallEvaluations } from '../../../helpers/small-evaluations.js';
import type { TrainingTerms } from '../../../../src/chooser/training/custom/custom-rows.js';
import { seeded } from '../../../../src/chooser/training/custom/bootstrap.js';

/** The shipped predictor thinks much more of the first. */
const large = 'openai/gpt-5.2',
  small = 'openai/gpt-5-nano',
  tiny = 'openai/gpt-4.1-nano';
/** Names that no list of prices has. */
const unknown = { large: 'own/large-70b', small: 'own/small-8b' };
/** By model, the chance of a good answer about code, and about facts. */
type Chances = Readonly<Record<string, readonly [code: number, facts: number]>>;
type Costs = Readonly<Record<string, number>>;

/** Evaluations in which answers are good by chance and cost about as given, in USD. */
function evaluations(chances: Chances, costs: Costs | null, rows: number): string {
  const random = seeded(11);
  const { prompts, tasks } = smallEvaluations(rows, 21);
  const byModel = (of: (model: string) => number): Record<string, number> =>
    Object.fromEntries(Object.keys(chances).map((model) => [model, of(model)]));
  return prompts
    .map((prompt, row) =>
      JSON.stringify({
        prompt: `${prompt} ${row}`,
        scores: byModel((model) => Number(random() < chances[model]![tasks[row]!]!)),
        ...(costs && { costs: byModel((model) => costs[model]! * (0.5 + random())) }),
      }),
    )
    .join('\n');
}

const train = (
  chances: Chances,
  costs: Costs | null = null,
  { rows = 300, terms = {} }: { rows?: number; terms?: Partial<TrainingTerms> } = {},
): Trained =>
  trainCustom(
    evaluations(chances, costs, rows),
    { format: 'jsonl', promptColumn: 'prompt', models: null, maximize: true, seed: 1 },
    { predictor: shippedPredictor(), terms: { ...plainTerms, ...terms } },
    () => undefined,
  );

/** The mean predicted quality of a model on prompts that no training saw. */
function levelOf(model: string, weights: CustomWeights): number {
  const predictor = shippedPredictor();
  const tuning = createTuning(weights, predictor)!;
  const place = createFindModel(predictor.weights.models)(model);
  const name = model.slice(model.indexOf('/') + 1);
  const ability = knownAbility(canonicalName(model)) ?? guessedAbility(model, null);
  const qualities = smallEvaluations(100, 99).prompts.map((content) => {
    const features = featuresOf({ messages: [{ role: 'user', content }] });
    const reading = predictor.read(features);
    const expected =
      place < 0 ? predictor.guess(reading, ability) : predictor.expect(reading, place);
    const adjustment = tuning.adjust(
      { label: model, provider: 'openai', model: name },
      { features, reading, kinds: { router: '', shares: [] } },
      expected,
    );
    return sigmoid(logOdds(expected.quality) + adjustment!.odds);
  });
  return qualities.reduce((sum, one) => sum + one) / qualities.length;
}

describe('the verdict on a training', { timeout: 120_000 }, () => {
  it('is "better" where routing chooses better than any single model', () => {
    const { report } = train({ [large]: [0.95, 0.4], [small]: [0.4, 0.95] });
    expect(report).toMatchObject({ finding: 'better', isUseful: true, inUse: 'router' });
    expect(report.gain.low).toBeGreaterThan(0.1);
    expect(report.overShipped.low).toBeGreaterThan(0);
    expect(report.verdict).toMatch(
      /^better than always calling openai\/gpt-5.*: \+0\.\d+, from \+0\.\d+ to \+0\.\d+ with 95 % confidence; compared to the shipped router \+0\.\d+, .*\. .*The trained router is switched on\.$/,
    );
  });

  it('is "as good at less cost" where small models are as good and ten times cheaper', () => {
    const as = [0.9, 0.9] as const;
    const { report, calibration } = train(
      { [large]: as, [small]: as, [tiny]: as },
      { [large]: 0.01, [small]: 0.001, [tiny]: 0.001 },
      { rows: 400 },
    );
    expect(report).toMatchObject({ finding: 'cheaper', isUseful: true, inUse: 'calibration' });
    const { by, cost, overShipped, source, rows } = report.savings!;
    expect([by, source, rows]).toEqual(['offsets', 'evaluations', 400]);
    expect(cost.trained).toBeLessThan(0.0015);
    expect(cost.shipped).toBeGreaterThan(5 * cost.trained);
    expect(overShipped.saved.value).toBeGreaterThan(0.8);
    expect(overShipped.saved.low).toBeGreaterThan(0.7);
    expect(overShipped.saved.high).toBeLessThan(0.95);
    expect(report.verdict).toMatch(
      /^as good as .* at \d\d\.\d % less cost \(from \d+\.\d to \d+\.\d % with 95 % confidence\), .*, with tradeoff: cost\. Its score differs by .*; 0\.05 is tolerated\. Always calling openai\/gpt-\S+-nano does the same: it is as good at no more cost\. That takes no more than to correct the level /,
    );
    expect(Math.abs(levelOf(large, calibration) - levelOf(small, calibration))).toBeLessThan(0.05);
  });

  it('does not depend on the order of columns where two models are equally good, and says that one of them would do', () => {
    const { prompts } = smallEvaluations(300, 21);
    const verdictOf = (...models: string[]): string =>
      trainCustom(
        prompts
          .map((prompt, row) => {
            const score = Number(row % 8 !== 0);
            const scores = Object.fromEntries(models.map((model) => [model, score]));
            return JSON.stringify({ prompt: `${prompt} ${row}`, scores });
          })
          .join('\n'),
        { format: 'jsonl', promptColumn: 'prompt', models: null, maximize: true, seed: 1 },
        { predictor: shippedPredictor(), terms: plainTerms },
        () => undefined,
      ).report.verdict;
    const verdict = verdictOf(large, small);
    expect(verdict).toMatch(
      /^as good as the shipped router at \d\d\.\d % less cost \(.*\), at the cost of always calling openai\/gpt-5-nano, with tradeoff: cost\. .* Always calling openai\/gpt-5-nano does the same: it is as good at no more cost\. /,
    );
    expect(verdictOf(small, large)).toBe(verdict);
  });

  it('is the same where a small model is as good at some prompts only, with a router of its own', () => {
    const { report } = train(
      { [large]: [0.9, 0.9], [small]: [0.9, 0.3] },
      { [large]: 0.01, [small]: 0.001 },
      { rows: 400 },
    );
    expect(report).toMatchObject({
      finding: 'cheaper',
      isUseful: true,
      inUse: 'router',
      bestSingle: { model: large },
      savings: { by: 'fitted' },
    });
    const { trained } = report.savings!;
    expect(trained.saved.low).toBeGreaterThan(0.05);
    expect(trained.saved.high).toBeLessThan(0.6);
    expect(trained.score.value).toBeGreaterThanOrEqual(-0.05);
    expect(report.verdict).toMatch(
      /^as good as always calling openai\/gpt-5\.2 at .* The trained router is switched on\.$/,
    );
  });

  it('is "no use" where nothing helps, but wrong levels of quality are corrected', () => {
    const { report, calibration } = train({ [large]: [0.97, 0.97], [small]: [0.3, 0.3] });
    expect(report).toMatchObject({
      finding: 'no_use',
      isUseful: false,
      inUse: 'calibration',
      bestSingle: { model: large },
    });
    const { logLoss, levelError } = report.calibration;
    expect(logLoss.after).toBeLessThan(logLoss.before);
    expect(logLoss.change.high).toBeLessThan(0);
    expect(levelError.before).toBeGreaterThan(0.1);
    expect(levelError.after).toBeLessThan(0.05);
    expect(report.verdict).toMatch(
      /^no use: no gain over always calling openai\/gpt-5\.2 \(.*\)\. With tradeoff: cost it costs as much as .* The trained router is not switched on, but the level of each model's predicted quality is corrected: log loss 0\.\d+ becomes 0\.\d+ /,
    );
    expect(levelOf(large, calibration)).toBeCloseTo(0.97, 1);
    expect(levelOf(small, calibration)).toBeCloseTo(0.3, 1);
  });

  it('corrects the levels of a router that an earlier training switched on, if that lowers their log loss', () => {
    const first = train({ [large]: [0.95, 0.4], [small]: [0.4, 0.95] });
    const again = (chances: Chances): Trained =>
      trainCustom(
        evaluations(chances, null, 200),
        { format: 'jsonl', promptColumn: 'prompt', models: null, maximize: true, seed: 1 },
        {
          ...{ predictor: shippedPredictor(), terms: plainTerms },
          ...{ earlier: 'router', earlierWeights: first.weights },
        },
        () => undefined,
      );
    const useless = again({ [large]: [0.4, 0.4], [small]: [0.15, 0.15] });
    expect(useless.report).toMatchObject({ finding: 'no_use', inUse: 'earlier' });
    const { logLoss } = useless.report.earlierCalibration!;
    expect(logLoss.after).toBeLessThan(logLoss.before);
    expect(logLoss.change.high).toBeLessThan(0);
    expect(useless.report.verdict).toMatch(
      /what an earlier training switched on stays, and the level of each model's quality that it predicts is corrected: log loss [\d.]+ becomes [\d.]+ \(-/,
    );
    expect(levelOf(large, first.weights)).toBeGreaterThan(0.5);
    expect(levelOf(large, useless.earlier!)).toBeLessThan(0.5);
    // what it learned of prompts is kept
    expect(useless.earlier!.slopes).toEqual(first.weights.slopes);
    const other = again({ [large]: [0.9, 0.9], [tiny]: [0.05, 0.05] });
    expect(other.earlier).toBeNull();
    expect(other.report.verdict).toContain(
      'and so do the levels that it predicts, because it does not know all of these models.',
    );
  });

  it('judges costs by list prices and expected lengths if the evaluations have none', () => {
    const { report } = train({ [large]: [0.9, 0.9], [small]: [0.9, 0.9] }, null, { rows: 400 });
    expect(report.savings).toMatchObject({ source: 'prices', rows: 400, unpriced: [] });
    expect(report.savings!.cost.shipped).toBeGreaterThan(report.savings!.cost.trained);
    expect(report.verdict).toContain('Costs are expected from list prices and lengths.');
  });

  it.runIf(isWholeRun)('says that it could not judge costs where no prices are known', () => {
    const { report } = train({ [unknown.large]: [0.9, 0.9], [unknown.small]: [0.5, 0.5] });
    expect(report).toMatchObject({
      savings: null,
      unjudged:
        'the evaluations have none, and the gateway knows no price of own/large-70b, own/small-8b',
    });
    expect(report.verdict).toContain(`Costs could not be judged: ${report.unjudged}.`);
  });

  it.runIf(isWholeRun)('takes prices from the configuration, and says which ones it lacks', () => {
    const as = [0.9, 0.9] as const;
    const overrides = {
      [unknown.large]: { inputPrice: 10, outputPrice: 40 },
      [unknown.small]: { inputPrice: 1, outputPrice: 4 },
    };
    const chances = { [unknown.large]: as, [unknown.small]: as };
    const stated = train(chances, null, { terms: { overrides, priceIds: { own: null } } }).report;
    expect(stated.savings).toMatchObject({ source: 'prices', unpriced: [] });
    const { report } = train(chances, { [unknown.large]: 0.01, [unknown.small]: 0.001 });
    expect(report.savings).toMatchObject({
      source: 'evaluations',
      unpriced: [unknown.large, unknown.small],
    });
    expect(report.verdict).toContain(
      'The gateway knows no price of own/large-70b, own/small-8b: state it, so that tradeoff: cost can weigh it.',
    );
  });
});
